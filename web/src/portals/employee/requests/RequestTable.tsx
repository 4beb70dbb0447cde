import { Anchor, Text } from '@mantine/core';
import { IconInbox } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { api, body } from '../../../api/client';
import { queries } from '../../../api/queries';
import type { Request } from '../../../api/types';
import { money } from '../../../messages/format';
import { paths } from '../../../paths';
import { ExportButton } from '../../../shared/ExportButton';
import { tableState } from '../../../shared/tableState';
import { useParam } from '../../../shared/queryParams';
import { kinds, priorities, priorityTone, states } from '../../../shared/requests/quickRequestKinds';
import { useMe } from '../../../shared/session/me';
import { ChoiceFilter } from '../../../ui/ChoiceFilter';
import { DataTable, type Column } from '../../../ui/DataTable';
import { RelativeTime } from '../../../ui/DateText';
import { SearchBox } from '../../../ui/SearchBox';
import { Section } from '../../../ui/Section';
import { EmptyState } from '../../../ui/EmptyState';
import { StatusBadge } from '../../../ui/StatusBadge';
import { Tag } from '../../../ui/Tag';
import { RequestDueDate } from './RequestDueDate';
import { RequestDialog, type SelectedRequest } from './RequestDialog';
import { RequestMenu } from './RequestMenu';
import classes from './RequestTable.module.css';

const orders = ['created_at', 'due_at', 'priority'] as const;

/** Request list of the desk: clients, applicants, partners and visitors. */
export function RequestTable() {
  const { t } = useTranslation(['requests', 'common', 'names']);
  const me = useMe();
  const { data: staff = [] } = useQuery(queries.staff());
  const [chosen, setChosen] = useState<SelectedRequest | null>(null);
  const [q, setQ] = useParam('q');
  const [kind, setKind] = useParam('kind');
  const [status, setStatus] = useParam('status');
  const [priority, setPriority] = useParam('priority');
  const [assignee, setAssignee] = useParam('assignee');
  const [order, setOrder] = useParam('order');
  const query = {
    q: q || undefined,
    kind: kinds.find((known) => known === kind),
    status: states.find((known) => known === status),
    open: status === 'open' || undefined,
    priority: priorities.find((known) => known === priority),
    assignee_id: assignee === 'me' ? me.id : staff.find((person) => person.id === assignee)?.id,
    unassigned: assignee === 'none' || undefined,
    order: orders.find((known) => known === order),
  };
  const columns: Column<Request>[] = [
    {
      key: 'request',
      header: t('column.request'),
      cell: (request) => (
        <>
          <Anchor component={Link} to={paths.request(request.id)} className={`mono ${classes.whole}`}>
            {request.reference}
          </Anchor>
          <Text size="xs" c="dimmed">
            {t(`names:request_kind.${request.kind}`)}
          </Text>
        </>
      ),
    },
    {
      key: 'from',
      header: t('column.from'),
      wide: true,
      cell: (request) => (
        <>
          {request.name}
          <Text size="xs" c="dimmed" className={classes.email} title={request.email}>
            {request.email}
          </Text>
        </>
      ),
    },
    {
      key: 'what',
      header: t('column.what'),
      wide: true,
      cell: (request) => <RequestSummary request={request} />,
    },
    {
      key: 'priority',
      header: t('names:field.priority'),
      cell: ({ priority: urgency }) =>
        urgency && <Tag tone={priorityTone[urgency]}>{t(`names:request_priority.${urgency}`)}</Tag>,
    },
    {
      key: 'sent',
      header: t('column.sent'),
      cell: (request) => (
        <span className={classes.whole}>
          <RelativeTime at={request.created_at} />
        </span>
      ),
    },
    {
      key: 'due',
      header: t('column.due'),
      cell: (request) => (
        <span className={classes.whole}>
          <RequestDueDate request={request} />
        </span>
      ),
    },
    {
      key: 'assignee',
      header: t('assignee'),
      cell: (request) => <span className={classes.name}>{request.assignee?.name ?? '—'}</span>,
    },
    {
      key: 'status',
      header: t('common:status'),
      cell: (request) => (
        <>
          <StatusBadge kind="request" status={request.status} />
          {request.spv && (
            <Text size="xs" mt={2}>
              <Anchor component={Link} to={paths.employeeOrder(request.spv.id)} className="mono">
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
  const narrowed = Boolean(q || kind || status || priority || assignee);
  return (
    <Section
      title={t('desk.list')}
      flush
      actions={
        <ExportButton
          name="requests"
          load={() => body(api.GET('/rest/v1/requests.csv', { params: { query }, parseAs: 'blob' }))}
        />
      }
    >
      <div className={classes.filters} role="search" aria-label={t('desk.filters')}>
        <SearchBox label={t('desk.search')} value={q} onChange={setQ} />
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
          choices={[
            { value: 'open', label: t('desk.undecided') },
            ...states.map((value) => ({ value, label: t(`names:request_status.${value}`) })),
          ]}
          onChange={setStatus}
        />
        <ChoiceFilter
          label={t('desk.priority')}
          all={t('desk.all_priorities')}
          value={priority}
          choices={priorities.map((value) => ({ value, label: t(`names:request_priority.${value}`) }))}
          onChange={setPriority}
        />
        <ChoiceFilter
          label={t('desk.assignee')}
          all={t('desk.all_assignees')}
          value={assignee}
          choices={[
            { value: 'me', label: t('desk.mine') },
            { value: 'none', label: t('nobody') },
            ...staff
              .filter((person) => person.id !== me.id)
              .map((person) => ({ value: person.id, label: person.name })),
          ]}
          onChange={setAssignee}
        />
        <ChoiceFilter
          label={t('desk.order')}
          all={t('desk.newest')}
          value={order}
          choices={orders.map((value) => ({ value, label: t(`desk.order_${value}`) }))}
          onChange={setOrder}
        />
      </div>
      <DataTable
        label={t('desk.list')}
        columns={columns}
        state={tableState(useInfiniteQuery(queries.requests({ ...query, limit: 25 })))}
        rowKey={(request) => request.id}
        empty={
          <EmptyState
            icon={<IconInbox size={20} />}
            title={narrowed ? t('desk.none_match') : t('desk.empty')}
          />
        }
      />
      {chosen && <RequestDialog chosen={chosen} onClose={() => setChosen(null)} />}
    </Section>
  );
}

function RequestSummary({ request }: { request: Request }) {
  const { t } = useTranslation(['names', 'requests']);
  const { order, message, data } = request;
  if (order)
    return (
      <>
        {order.proposed_names[0]}
        <Text size="xs" c="dimmed">
          <span className="num">{money(order.purchase_amount, order.currency)}</span>
          {` · ${t(`country.${order.country}`)}`}
        </Text>
      </>
    );
  const account = typeof data.account_type === 'string' ? data.account_type : null;
  return (
    <>
      {account && t(`requests:applies.${account}`)}
      <Text size={account ? 'xs' : 'sm'} c={account ? 'dimmed' : undefined} lineClamp={2}>
        {message || (account ? null : '—')}
      </Text>
    </>
  );
}
