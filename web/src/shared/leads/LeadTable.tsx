import { Text } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../api/client';
import { queries } from '../../api/queries';
import type { Lead, LeadStage } from '../../api/types';
import { date } from '../../messages/format';
import { ChoiceFilter } from '../../ui/ChoiceFilter';
import { DataTable, type Column } from '../../ui/DataTable';
import { SearchBox } from '../../ui/SearchBox';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/EmptyState';
import { StatusBadge } from '../../ui/StatusBadge';
import { ExportButton } from '../ExportButton';
import { tableState } from '../tableState';
import { useParam } from '../queryParams';

export const stages: LeadStage[] = ['new', 'contacted', 'qualified', 'won', 'lost'];

interface Props {
  /** Staff see the partner. */
  withIso?: boolean;
  empty?: ReactNode;
  actions: (lead: Lead) => ReactNode;
}

/** Leads with stage, next action and protection period. */
export function LeadTable({ withIso = false, empty, actions }: Props) {
  const { t } = useTranslation(['partners', 'names', 'common']);
  const [q, setQ] = useParam('q');
  const [picked, setPicked] = useParam('stage');
  const stage = stages.find((known) => known === picked);
  const query = { q: q || undefined, stage };
  const narrowed = Boolean(q || stage);
  const state = tableState(useInfiniteQuery(queries.leads(query)));
  const columns: Column<Lead>[] = [
    {
      key: 'lead',
      header: t('leads.lead'),
      cell: (lead) => (
        <>
          {lead.first_name} {lead.last_name}
          <Text size="xs" c="dimmed">
            {[withIso && lead.iso_name, lead.organisation].filter(Boolean).join(' · ')}
          </Text>
        </>
      ),
    },
    {
      key: 'contact',
      header: t('clients.contact'),
      wide: true,
      cell: (lead) => (
        <>
          {lead.email}
          <Text size="xs" c="dimmed">
            {lead.phone}
          </Text>
        </>
      ),
    },
    {
      key: 'stage',
      header: t('leads.stage'),
      cell: (lead) => <StatusBadge kind="lead" status={lead.stage} />,
    },
    {
      key: 'next',
      header: t('leads.next'),
      cell: (lead) =>
        lead.next_step || lead.next_step_date ? (
          <>
            {lead.next_step}
            <Text size="xs" c="dimmed">
              {lead.next_step_date && date(lead.next_step_date)}
            </Text>
          </>
        ) : (
          '—'
        ),
    },
    {
      key: 'protected',
      header: t('leads.protected'),
      explain: t('leads.protected_text'),
      cell: (lead) =>
        lead.stage === 'won' || lead.stage === 'lost' ? (
          '—'
        ) : lead.protected_days === null ? (
          t('leads.protected_over')
        ) : (
          <>
            {lead.protected_days === 0
              ? t('leads.protected_last')
              : t('leads.protected_days', { count: lead.protected_days })}
            <Text size="xs" c="dimmed">
              {t('leads.protected_until', { date: date(lead.protected_until) })}
            </Text>
          </>
        ),
    },
    { key: 'actions', header: t('common:actions'), actions: true, cell: actions },
  ];
  return (
    <Section
      title={t('leads.list')}
      flush
      actions={
        <>
          <SearchBox label={t('leads.search')} value={q} onChange={setQ} />
          <ChoiceFilter
            label={t('leads.stage')}
            all={t('leads.all')}
            value={stage ?? ''}
            choices={stages.map((value) => ({ value, label: t(`names:lead_status.${value}`) }))}
            onChange={setPicked}
          />
          <ExportButton
            name="leads"
            load={() => body(api.GET('/rest/v1/leads.csv', { params: { query }, parseAs: 'blob' }))}
          />
        </>
      }
    >
      <DataTable
        label={t('leads.list')}
        columns={columns}
        state={state}
        rowKey={(lead) => lead.id}
        empty={
          <EmptyState
            icon={<IconUserPlus size={20} />}
            title={narrowed ? t('leads.none_match') : t('leads.empty')}
            text={narrowed ? undefined : t('leads.empty_text')}
            action={narrowed ? undefined : empty}
          />
        }
      />
    </Section>
  );
}
