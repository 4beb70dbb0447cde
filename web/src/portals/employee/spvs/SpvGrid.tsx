import { Text } from '@mantine/core';
import { IconFolder } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../../api/client';
import { lists, type SpvQuery } from '../../../api/lists';
import type { Spv } from '../../../api/types';
import { paths } from '../../../paths';
import { useCountries } from '../../../shared/countries';
import { ExportButton } from '../../../shared/ExportButton';
import { useCompanyFilter } from '../../../shared/grid/companyFilter';
import { parseDays, useDaysFilter } from '../../../shared/grid/daysFilter';
import { ListGrid, type GridQuery } from '../../../shared/grid/ListGrid';
import { ClientLink, CompanyLink, IsoLink } from '../../../shared/records/links';
import { identifierBesideName, orderName } from '../../../shared/spvs/orderName';
import { DateText } from '../../../ui/DateText';
import { EmptyState } from '../../../ui/EmptyState';
import { Money } from '../../../ui/Money';
import { ProgressBar } from '../../../ui/ProgressBar';
import { StatusBadge } from '../../../ui/StatusBadge';
import type { GridColumn } from '../../../ui/grid/columns';
import type { GridFilter } from '../../../ui/grid/FilterChips';
import { SpvPeek } from './SpvPeek';

const statuses: Spv['status'][] = ['pending', 'active', 'processing', 'on_hold', 'closed', 'cancelled'];

export function spvQuery({ filters, ...query }: GridQuery): SpvQuery {
  return {
    ...query,
    ...parseDays(filters.days),
    status: filters.status || undefined,
    company_id: filters.company || undefined,
    iso_id: filters.iso || undefined,
    country: filters.country || undefined,
  };
}

export const exportSpvs = (query: SpvQuery) =>
  body(api.GET('/rest/v1/spvs.csv', { params: { query }, parseAs: 'blob' }));

/** Filters of the list of orders. */
export function useSpvFilters(): GridFilter[] {
  const { t } = useTranslation(['employee', 'common', 'names', 'dashboards']);
  const countries = useCountries();
  const companyFilter = useCompanyFilter();
  const daysFilter = useDaysFilter(t('names:field.ordered_date'));
  return [
    {
      key: 'status',
      label: t('common:status'),
      choices: statuses.map((value) => ({ value, label: t(`names:spv_status.${value}`) })),
    },
    companyFilter,
    daysFilter,
    { key: 'country', label: t('names:field.country'), choices: countries },
    {
      key: 'iso',
      label: t('column.iso'),
      choices: [{ value: 'none', label: t('dashboards:company.unassigned') }],
    },
  ];
}

/** All orders. */
export function SpvGrid({ actions }: { actions?: ReactNode }) {
  const { t } = useTranslation(['employee', 'common', 'names', 'dashboards']);
  const columns: GridColumn<Spv>[] = [
    {
      key: 'spv',
      header: t('names:field.vehicle_name'),
      sort: 'vehicle_name',
      phone: 'title',
      link: (spv) => spv.vehicle_name ?? <span className="mono">{spv.identifier}</span>,
      cell: (spv) =>
        identifierBesideName(spv) && (
          <Text size="xs" c="dimmed" className="mono">
            {spv.identifier}
          </Text>
        ),
    },
    {
      key: 'client',
      header: t('dashboards:client'),
      phone: 'text',
      cell: (spv) => <ClientLink id={spv.client_id} name={spv.client_name} />,
    },
    {
      key: 'company',
      header: t('column.company'),
      cell: (spv) => <CompanyLink id={spv.company_id} name={spv.company_name} />,
    },
    {
      key: 'iso',
      header: t('column.iso'),
      hidden: true,
      cell: (spv) => <IsoLink id={spv.iso_id} name={spv.iso_name} />,
    },
    {
      key: 'country',
      header: t('names:field.country'),
      hidden: true,
      cell: (spv) => t(`names:country.${spv.country}`),
    },
    {
      key: 'status',
      header: t('common:status'),
      phone: 'end',
      cell: (spv) => <StatusBadge kind="spv" status={spv.status} />,
    },
    {
      key: 'progress',
      extra: true,
      width: 150,
      header: t('dashboards:progress'),
      cell: (spv) => (
        <ProgressBar
          percent={spv.progress.percent}
          label={t('dashboards:progress_of', { name: spv.identifier })}
        />
      ),
    },
    {
      key: 'ordered',
      header: t('names:field.ordered_date'),
      sort: 'ordered_date',
      descendingFirst: true,
      cell: (spv) => <DateText day={spv.ordered_date} />,
    },
    {
      key: 'amount',
      header: t('dashboards:amount'),
      explain: t('dashboards:amount_listed_text'),
      align: 'right',
      sort: 'amount',
      descendingFirst: true,
      phone: 'side',
      cell: (spv) => <Money amount={spv.amount} currency={spv.currency} />,
    },
  ];
  return (
    <ListGrid<Spv>
      list="spvs"
      label={t('tab.spvs')}
      columns={columns}
      rows={(query) => lists.spvs(spvQuery(query))}
      rowKey={(spv) => spv.id}
      rowName={orderName}
      defaultSort={{ key: 'ordered_date', descending: true }}
      hrefOf={(spv) => paths.employeeOrder(spv.id)}
      filters={useSpvFilters()}
      views={(['pending', 'processing', 'on_hold', 'closed'] as const).map((status) => ({
        key: status,
        name: t(`names:spv_status.${status}`),
        query: `status=${status}`,
      }))}
      search={t('spvs.search')}
      sumColumn="amount"
      amountOf={(spv) => ({ amount: spv.amount ?? '0', currency: spv.currency })}
      bulk={(rows) => (
        <ExportButton name="spvs" load={() => exportSpvs({ ids: rows.map(({ id }) => id).join(',') })} />
      )}
      peek={(spv) => <SpvPeek key={spv.id} spv={spv} />}
      actions={(query) => (
        <>
          <ExportButton name="spvs" load={() => exportSpvs(spvQuery(query))} />
          {actions}
        </>
      )}
      empty={<EmptyState icon={<IconFolder size={20} />} title={t('spvs.empty')} />}
    />
  );
}
