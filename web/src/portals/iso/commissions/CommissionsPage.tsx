import { Button, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { queries } from '../../../api/queries';
import { paths } from '../../../paths';
import { CommissionOverview } from '../../../shared/commissions/CommissionOverview';
import { CommissionTable } from '../../../shared/commissions/CommissionTable';
import { commissionsCsv } from '../../../shared/commissions/exports';
import { useStatusFilter } from '../../../shared/commissions/StatusFilter';
import { ExportButton } from '../../../shared/ExportButton';
import { tableState } from '../../../shared/tableState';
import { PageHeader } from '../../../ui/PageHeader';
import { Section } from '../../../ui/Section';

/** Commissions: totals and ledger. */
export function Component() {
  const { t } = useTranslation('commissions');
  const { status, filter } = useStatusFilter();
  return (
    <>
      <PageHeader
        title={t('title')}
        text={t('text')}
        actions={
          <Button component={Link} to={paths.isoStatement}>
            {t('statement.view')}
          </Button>
        }
      />
      <Stack gap="md">
        <CommissionOverview />
        <Section
          title={t('ledger')}
          flush
          actions={
            <>
              {filter}
              <ExportButton name="commissions" load={() => commissionsCsv({ status })} />
            </>
          }
        >
          <CommissionTable
            state={tableState(useInfiniteQuery(queries.commissions({ status })))}
            narrowed={Boolean(status)}
          />
        </Section>
      </Stack>
    </>
  );
}
