import { Skeleton, Stack } from '@mantine/core';
import { IconCoin } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import { ExportButton } from '../../../shared/ExportButton';
import { PageHeader } from '../../../ui/PageHeader';
import { Section } from '../../../ui/Section';
import { EmptyState } from '../../../ui/EmptyState';
import { ErrorState } from '../../../ui/ErrorState';
import { useCompany } from '../companyContext';
import { CurrencyAccount } from './CurrencyAccount';
import { financesCsv } from './exports';
import { useDateRange, useDateRangeText } from '../../../shared/figures/dateRange';

/** Company finances by month, partner and country, per currency. */
export function Component() {
  const { t } = useTranslation('reports');
  const company = useCompany();
  const { range, days, filter } = useDateRange();
  const rangeText = useDateRangeText();
  const query = { company_id: company.id, ...range };
  const { data, error, refetch } = useQuery(queries.finances(query));
  return (
    <>
      <PageHeader
        title={t('finances.title')}
        text={`${t('finances.text')} ${rangeText(data ?? days)}`}
        actions={
          <>
            {filter}
            <ExportButton name="finances" load={() => financesCsv(query)} />
          </>
        }
      />
      {error && <ErrorState message={errorText(error)} onRetry={() => void refetch()} />}
      {!error && !data && <Skeleton height={360} radius="md" aria-hidden="true" />}
      {!error && data?.accounts.length === 0 && (
        <Section title={t('finances.title')}>
          <EmptyState
            icon={<IconCoin size={20} />}
            title={t('finances.empty')}
            text={t('finances.empty_text')}
          />
        </Section>
      )}
      {!error && data && (
        <Stack gap="md">
          {data.accounts.map((account) => (
            <CurrencyAccount key={account.currency} account={account} />
          ))}
        </Stack>
      )}
    </>
  );
}
