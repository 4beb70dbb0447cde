import { Anchor, Text } from '@mantine/core';
import { IconInbox } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { queries } from '../../../api/queries';
import type { Request, RequestStatus } from '../../../api/types';
import { money } from '../../../messages/format';
import { paths } from '../../../paths';
import { listState } from '../../../shared/listState';
import { useParam } from '../../../shared/queryParams';
import { ChoiceFilter } from '../../../ui/ChoiceFilter';
import { DataTable, type Column } from '../../../ui/DataTable';
import { Ago } from '../../../ui/DateText';
import { PageHeader } from '../../../ui/PageHeader';
import { Section } from '../../../ui/Section';
import { EmptyState } from '../../../ui/states';
import { StatusBadge } from '../../../ui/StatusBadge';
import { RequestDialog, RequestMenu, type Chosen } from './RequestMenu';

const kinds = ['order', 'account', 'support'] as const;
const states: RequestStatus[] = ['pending', 'in_review', 'approved', 'rejected', 'withdrawn'];

/** What clients, applicants and visitors ask the office for. */
export function Component() {
  const { t } = useTranslation(['requests', 'common', 'names']);
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [kind, setKind] = useParam('kind');
  const [status, setStatus] = useParam('status');
  const query = queries.requests({
    kind: kinds.find((known) => known === kind),
    status: states.find((known) => known === status),
  });
  const columns: Column<Request>[] = [
    {
      key: 'request',
      header: t('column.request'),
      cell: (request) => <span className="mono">{request.reference}</span>,
    },
    { key: 'kind', header: t('column.kind'), cell: (request) => t(`names:request_kind.${request.kind}`) },
    {
      key: 'from',
      header: t('column.from'),
      wide: true,
      cell: (request) => (
        <>
          {request.name}
          <Text size="xs" c="dimmed">
            {request.email}
          </Text>
        </>
      ),
    },
    { key: 'what', header: t('column.what'), wide: true, cell: (request) => <Asked request={request} /> },
    { key: 'sent', header: t('column.sent'), cell: (request) => <Ago at={request.created_at} /> },
    {
      key: 'status',
      header: t('common:status'),
      cell: (request) => (
        <>
          <StatusBadge kind="request" status={request.status} />
          {request.spv && (
            <Text size="xs" mt={2}>
              <Anchor component={Link} to={paths.employeeOrder(request.spv.id)} fz="inherit">
                {request.spv.identifier}
              </Anchor>
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'actions',
      header: t('common:actions'),
      actions: true,
      cell: (request) => <RequestMenu request={request} onChoose={setChosen} />,
    },
  ];
  return (
    <>
      <PageHeader title={t('desk.title')} text={t('desk.text')} />
      <Section
        title={t('desk.list')}
        flush
        actions={
          <>
            <ChoiceFilter
              label={t('desk.kind')}
              all={t('desk.all_kinds')}
              value={kind}
              choices={kinds.map((value) => ({ value, label: t(`names:request_kind.${value}`) }))}
              onChange={setKind}
            />
            <ChoiceFilter
              label={t('desk.status')}
              all={t('desk.all_states')}
              value={status}
              choices={states.map((value) => ({ value, label: t(`names:request_status.${value}`) }))}
              onChange={setStatus}
            />
          </>
        }
      >
        <DataTable
          label={t('desk.list')}
          columns={columns}
          state={listState(useInfiniteQuery(query))}
          rowKey={(request) => request.id}
          empty={<EmptyState icon={<IconInbox size={20} />} title={t('desk.empty')} />}
        />
      </Section>
      {chosen && <RequestDialog chosen={chosen} onClose={() => setChosen(null)} />}
    </>
  );
}

function Asked({ request }: { request: Request }) {
  const { t } = useTranslation('names');
  const { order, message } = request;
  if (!order)
    return (
      <Text size="sm" lineClamp={2}>
        {message || '—'}
      </Text>
    );
  return (
    <>
      {order.proposed_names[0]}
      <Text size="xs" c="dimmed">
        <span className="num">{money(order.purchase_amount, order.currency)}</span>
        {` · ${t(`country.${order.country}`)}`}
      </Text>
    </>
  );
}
