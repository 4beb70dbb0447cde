import { Text } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../api/client';
import { lists, type LeadQuery } from '../../api/lists';
import type { Lead, LeadStage } from '../../api/types';
import { date } from '../../messages/format';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/EmptyState';
import { StatusBadge } from '../../ui/StatusBadge';
import type { GridColumn } from '../../ui/grid/columns';
import { ExportButton } from '../ExportButton';
import { ListGrid, type GridQuery } from '../grid/ListGrid';
import { IsoLink } from '../records/links';

export const stages: LeadStage[] = ['new', 'contacted', 'qualified', 'won', 'lost'];

interface Props {
  /** Staff see the partner. */
  withIso?: boolean;
  empty?: ReactNode;
  actions: (lead: Lead) => ReactNode;
}

const nameOf = (lead: Lead) => `${lead.first_name} ${lead.last_name}`;

function leadQuery({ filters, ...query }: GridQuery): LeadQuery {
  return { ...query, stage: stages.find((known) => known === filters.stage) };
}

const exportLeads = (query: LeadQuery) =>
  body(api.GET('/rest/v1/leads.csv', { params: { query }, parseAs: 'blob' }));

/** Leads with stage, next action and protection period. */
export function LeadTable({ withIso = false, empty, actions }: Props) {
  const { t } = useTranslation(['partners', 'names', 'common']);
  const columns: GridColumn<Lead>[] = [
    {
      key: 'lead',
      header: t('leads.lead'),
      sort: 'first_name',
      phone: 'title',
      link: nameOf,
      cell: (lead) => (
        <Text size="xs" c="dimmed">
          {withIso && <IsoLink id={lead.iso_id} name={lead.iso_name} />}
          {withIso && lead.organisation && ' · '}
          {lead.organisation}
        </Text>
      ),
    },
    {
      key: 'contact',
      header: t('clients.contact'),
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
      phone: 'end',
      cell: (lead) => <StatusBadge kind="lead" status={lead.stage} />,
    },
    {
      key: 'next',
      header: t('leads.next'),
      sort: 'next_step_date',
      phone: 'text',
      cell: (lead) =>
        lead.next_step || lead.next_step_date ? (
          <>
            <span>{lead.next_step}</span>
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
    <Section title={t('leads.list')} hideTitle>
      <ListGrid<Lead>
        list="leads"
        label={t('leads.list')}
        columns={columns}
        rows={(query) => lists.leads(leadQuery(query))}
        rowKey={(lead) => lead.id}
        rowName={nameOf}
        defaultSort={{ key: 'created_at', descending: true }}
        filters={[
          {
            key: 'stage',
            label: t('leads.stage'),
            choices: stages.map((value) => ({ value, label: t(`names:lead_status.${value}`) })),
          },
        ]}
        views={stages.map((stage) => ({
          key: stage,
          name: t(`names:lead_status.${stage}`),
          query: `stage=${stage}`,
        }))}
        search={t('leads.search')}
        bulk={(rows) => (
          <ExportButton name="leads" load={() => exportLeads({ ids: rows.map(({ id }) => id).join(',') })} />
        )}
        actions={(query) => <ExportButton name="leads" load={() => exportLeads(leadQuery(query))} />}
        empty={
          <EmptyState
            icon={<IconUserPlus size={20} />}
            title={t('leads.empty')}
            text={t('leads.empty_text')}
            action={empty}
          />
        }
      />
    </Section>
  );
}
