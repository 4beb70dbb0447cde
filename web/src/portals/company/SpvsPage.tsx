import { Group } from '@mantine/core';
import { IconFolders } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../api/client';
import { queries } from '../../api/queries';
import type { Spv } from '../../api/types';
import { useCountries } from '../../shared/countries';
import { ExportButton } from '../../shared/ExportButton';
import { tableState } from '../../shared/tableState';
import { useParam } from '../../shared/queryParams';
import { ChoiceFilter } from '../../ui/ChoiceFilter';
import { DataTable, type Column } from '../../ui/DataTable';
import { DateText } from '../../ui/DateText';
import { Money } from '../../ui/Money';
import { PageHeader } from '../../ui/PageHeader';
import { ProgressBar } from '../../ui/ProgressBar';
import { SearchBox } from '../../ui/SearchBox';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/EmptyState';
import { StatusBadge } from '../../ui/StatusBadge';
import { useCompany } from './companyContext';
import { SpvLink } from './SpvLink';

const states = ['pending', 'active', 'processing', 'on_hold', 'closed', 'cancelled'] as const;
const orders = ['-ordered_date', 'ordered_date', '-amount', 'amount'] as const;

/** Orders of the company: search, filters, sorting and export, all kept in the URL. */
export function Component() {
  const { t } = useTranslation(['company', 'names', 'common', 'dashboards']);
  const company = useCompany();
  const countries = useCountries();
  const [q, setQ] = useParam('q');
  const [status, setStatus] = useParam('status');
  const [country, setCountry] = useParam('country');
  const [iso, setIso] = useParam('iso');
  const [order, setOrder] = useParam('order');
  // Partners come with the overview, which is cached.
  const { data: figures } = useQuery(queries.companyDashboard(company.id));
  const narrowed = {
    company_id: company.id,
    q: q || undefined,
    status: status || undefined,
    country: country || undefined,
    iso_id: iso || undefined,
    order: order || undefined,
  };
  const state = tableState(useInfiniteQuery(queries.spvs(narrowed)));
  const columns: Column<Spv>[] = [
    {
      key: 'spv',
      header: t('dashboards:company.identifier'),
      cell: (spv) => <SpvLink spv={spv} />,
    },
    { key: 'client', header: t('dashboards:client'), cell: (spv) => spv.client_name },
    {
      key: 'iso',
      header: t('spvs.partner'),
      cell: (spv) => spv.iso_name ?? t('dashboards:company.unassigned'),
    },
    { key: 'country', header: t('names:field.country'), cell: (spv) => t(`names:country.${spv.country}`) },
    {
      key: 'status',
      width: 116,
      header: t('common:status'),
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
      cell: (spv) => <DateText day={spv.ordered_date} />,
    },
    {
      key: 'amount',
      width: 150,
      header: t('dashboards:amount'),
      explain: t('dashboards:amount_text'),
      align: 'right',
      cell: (spv) => (
        <Money amount={spv.status === 'cancelled' ? null : spv.amount} currency={spv.currency} />
      ),
    },
  ];
  const isNarrowed = Boolean(q || status || country || iso);
  return (
    <>
      <PageHeader
        title={t('nav.spvs')}
        text={t('spvs.text')}
        actions={
          <ExportButton
            name="portfolio"
            load={() => body(api.GET('/rest/v1/spvs.csv', { params: { query: narrowed }, parseAs: 'blob' }))}
          />
        }
      />
      <Section
        title={t('spvs.list')}
        flush
        actions={
          <Group gap="xs">
            <SearchBox label={t('spvs.search')} value={q} onChange={setQ} />
            <ChoiceFilter
              label={t('common:status')}
              all={t('spvs.every_status')}
              value={status}
              choices={states.map((value) => ({ value, label: t(`names:spv_status.${value}`) }))}
              onChange={setStatus}
            />
            <ChoiceFilter
              label={t('names:field.country')}
              all={t('spvs.every_country')}
              value={country}
              choices={countries}
              onChange={setCountry}
            />
            <ChoiceFilter
              label={t('spvs.partner')}
              all={t('spvs.every_partner')}
              value={iso}
              choices={(figures?.partners ?? []).map((partner) => ({
                value: partner.iso_id ?? 'none',
                label: partner.name ?? t('dashboards:company.unassigned'),
              }))}
              onChange={setIso}
            />
            <ChoiceFilter
              label={t('spvs.sort')}
              value={order || orders[0]}
              choices={orders.map((value) => ({ value, label: t(`spvs.order.${value}`) }))}
              onChange={(next) => setOrder(next === orders[0] ? '' : next)}
            />
          </Group>
        }
      >
        <DataTable
          label={t('spvs.list')}
          columns={columns}
          state={state}
          rowKey={(spv) => spv.id}
          empty={
            <EmptyState
              icon={<IconFolders size={20} />}
              title={isNarrowed ? t('spvs.no_match') : t('spvs.empty')}
              text={isNarrowed ? undefined : t('spvs.empty_text')}
            />
          }
        />
      </Section>
    </>
  );
}
