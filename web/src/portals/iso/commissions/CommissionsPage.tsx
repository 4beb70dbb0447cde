import { Button, Stack } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { paths } from '../../../paths';
import { CommissionGrid } from '../../../shared/commissions/CommissionGrid';
import { CommissionOverview } from '../../../shared/commissions/CommissionOverview';
import { PageHeader } from '../../../ui/PageHeader';
import { Section } from '../../../ui/Section';

/** Commissions: totals and ledger. */
export function Component() {
  const { t } = useTranslation('commissions');
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
        <Section title={t('ledger')} flush>
          <CommissionGrid orderPath={paths.isoOrder} />
        </Section>
      </Stack>
    </>
  );
}
