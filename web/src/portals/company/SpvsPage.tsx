import { IconFolders } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../api/client';
import { lists, type SpvQuery } from '../../api/lists';
import { queries } from '../../api/queries';
import type { Spv } from '../../api/types';
import { paths } from '../../paths';
import { useCountries } from '../../shared/countries';
import { ExportButton } from '../../shared/ExportButton';
import { parseDays, useDaysFilter } from '../../shared/grid/daysFilter';
import { ListGrid, type GridQuery } from '../../shared/grid/ListGrid';
import { OrderLabel } from '../../shared/spvs/OrderLabel';
import { orderName } from '../../shared/spvs/orderName';
import { DateText } from '../../ui/DateText';
import { Money } from '../../ui/Money';
import { PageHeader } from '../../ui/PageHeader';
import { ProgressBar } from '../../ui/ProgressBar';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/EmptyState';
import { StatusBadge } from '../../ui/StatusBadge';
import type { GridColumn } from '../../ui/grid/columns';
import type { GridFilter } from '../../ui/grid/FilterChips';
import { useCompany, useCompanyPath } from './companyContext';

const states = ['pending', 'active', 'processing', 'on_hold', 'closed', 'cancelled'] as const;

const exportSpvs = (query: SpvQuery) =>
  body(api.GET('/rest/v1/spvs.csv', { params: { query }, parseAs: 'blob' }));

/** Orders of the company: views, search, filters, sorting and export, all kept in the URL. */
export function Component() {
  const { t } = useTranslation(['company', 'names', 'common', 'dashboards']);
  const company = useCompany();
  const to = useCompanyPath();
  const countries = useCountries();
  // Partners come with the overview, which is cached.
  const { data: figures } = useQuery(queries.companyDashboard(company.id));
  const narrowed = ({ filters: { status, country, iso, days }, ...query }: GridQuery): SpvQuery => ({
    ...query,
    ...parseDays(days),
    company_id: company.id,
    status: status || undefined,
    country: country || undefined,
    iso_id: iso || undefined,
  });
  const columns: GridColumn<Spv>[] = [
    {
      key: 'spv',
      header: t('dashboards:company.identifier'),
      phone: 'title',
      link: (spv) => <OrderLabel spv={spv} />,
      cell: () => null,
    },
    { key: 'client', header: t('dashboards:client'), phone: 'text', cell: (spv) => spv.client_name },
    {
      key: 'iso',
      header: t('spvs.partner'),
      extra: true,
      cell: (spv) => spv.iso_name ?? t('dashboards:company.unassigned'),
    },
    {
      key: 'country',
      header: t('names:field.country'),
      extra: true,
      cell: (spv) => t(`names:country.${spv.country}`),
    },
    {
      key: 'status',
      width: 116,
      header: t('common:status'),
      phone: 'end',
      cell: (spv) => <StatusBadge kind="spv" status={spv.status} />,
    },
    {
      key: 'progress',
      width: 150,
      header: t('dashboards:progress'),
      explain: t('dashboards:progress_text'),
      cell: (spv) => (
        <ProgressBar
          percent={spv.progress.percent}
          label={t('dashboards:progress_of', { name: spv.identifier })}
        />
      ),
    },
    {
      key: 'ordered',
      width: 110,
      header: t('names:field.ordered_date'),
      sort: 'ordered_date',
      descendingFirst: true,
      cell: (spv) => <DateText day={spv.ordered_date} />,
    },
    {
      key: 'amount',
      width: 150,
      header: t('dashboards:amount'),
      explain: t('dashboards:amount_listed_text'),
      align: 'right',
      sort: 'amount',
      descendingFirst: true,
      phone: 'side',
      cell: (spv) => (
        <Money amount={spv.status === 'cancelled' ? null : spv.amount} currency={spv.currency} />
      ),
    },
  ];
  const filters: GridFilter[] = [
    {
      key: 'status',
      label: t('common:status'),
      choices: states.map((value) => ({ value, label: t(`names:spv_status.${value}`) })),
    },
    { key: 'country', label: t('names:field.country'), choices: countries },
    {
      key: 'iso',
      label: t('spvs.partner'),
      choices: (figures?.partners ?? []).map((partner) => ({
        value: partner.iso_id ?? 'none',
        label: partner.name ?? t('dashboards:company.unassigned'),
      })),
    },
    useDaysFilter(t('names:field.ordered_date')),
  ];
  return (
    <>
      <PageHeader title={t('nav.spvs')} text={t('spvs.text')} />
      <Section title={t('spvs.list')} flush>
        <ListGrid<Spv>
          list="spvs"
          label={t('spvs.list')}
          columns={columns}
          rows={(query) => lists.spvs(narrowed(query))}
          rowKey={(spv) => spv.id}
          rowName={orderName}
          hrefOf={(spv) => to(paths.companySpv(spv.id))}
          defaultSort={{ key: 'ordered_date', descending: true }}
          filters={filters}
          search={t('spvs.search')}
          views={(['processing', 'closed'] as const).map((status) => ({
            key: status,
            name: t(`names:spv_status.${status}`),
            query: `status=${status}`,
          }))}
          amountOf={(spv) => ({
            amount: spv.status === 'cancelled' ? '0' : (spv.amount ?? '0'),
            currency: spv.currency,
          })}
          bulk={(rows) => (
            <ExportButton
              name="portfolio"
              load={() => exportSpvs({ company_id: company.id, ids: rows.map(({ id }) => id).join(',') })}
            />
          )}
          actions={(query) => <ExportButton name="portfolio" load={() => exportSpvs(narrowed(query))} />}
          empty={
            <EmptyState
              icon={<IconFolders size={20} />}
              title={t('spvs.empty')}
              text={t('spvs.empty_text')}
            />
          }
        />
      </Section>
    </>
  );
}
