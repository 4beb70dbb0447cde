import { Anchor, Button, Text } from '@mantine/core';
import { IconInbox, IconUserCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { api, body, versionedBody } from '../../../api/client';
import { lists, type RequestQuery } from '../../../api/lists';
import { queries } from '../../../api/queries';
import type { Request } from '../../../api/types';
import { paths } from '../../../paths';
import { ExportButton } from '../../../shared/ExportButton';
import { ListGrid, type GridQuery } from '../../../shared/grid/ListGrid';
import { UserLink } from '../../../shared/records/links';
import { kinds, priorities, priorityTone, states } from '../../../shared/requests/quickRequestKinds';
import { useMe } from '../../../shared/session/me';
import { useSave } from '../../../shared/useSave';
import { RelativeTime } from '../../../ui/DateText';
import { Section } from '../../../ui/Section';
import { EmptyState } from '../../../ui/EmptyState';
import { StatusBadge } from '../../../ui/StatusBadge';
import { Quiet, Tag } from '../../../ui/Tag';
import { toast } from '../../../ui/toasts';
import type { GridColumn } from '../../../ui/grid/columns';
import type { GridFilter } from '../../../ui/grid/FilterChips';
import { RequestDueDate } from './RequestDueDate';
import { RequestDialog, type SelectedRequest } from './RequestDialog';
import { RequestMenu } from './RequestMenu';
import { RequestSummary } from './RequestSummary';
import classes from './RequestTable.module.css';

const exportRequests = (query: RequestQuery) =>
  body(api.GET('/rest/v1/requests.csv', { params: { query }, parseAs: 'blob' }));

/** Request list of the desk: clients, applicants, partners and visitors. */
export function RequestTable() {
  const { t } = useTranslation(['requests', 'common', 'names']);
  const me = useMe();
  const { data: staff = [] } = useQuery(queries.staff());
  const [chosen, setChosen] = useState<SelectedRequest | null>(null);
  const requestQuery = ({ filters, ...query }: GridQuery): RequestQuery => {
    const { kind, status, priority, assignee } = filters;
    return {
      ...query,
      kind: kinds.find((known) => known === kind),
      status: states.find((known) => known === status),
      open: status === 'open' || undefined,
      priority: priorities.find((known) => known === priority),
      assignee_id: assignee === 'me' ? me.id : staff.find((person) => person.id === assignee)?.id,
      unassigned: assignee === 'none' || undefined,
    };
  };
  const columns: GridColumn<Request>[] = [
    {
      key: 'request',
      header: t('column.request'),
      phone: 'title',
      link: (request) => t(`names:request_kind.${request.kind}`),
      cell: (request) => (
        <Text size="xs" c="dimmed" className={`mono ${classes.whole}`}>
          {request.reference}
        </Text>
      ),
    },
    {
      key: 'from',
      header: t('column.from'),
      phone: 'text',
      cell: (request) => (
        <>
          <UserLink id={request.user_id} name={request.name} />
          <Text size="xs" c="dimmed" className={classes.email} title={request.email}>
            {request.email}
          </Text>
        </>
      ),
    },
    {
      key: 'what',
      header: t('column.what'),
      cell: (request) => <RequestSummary request={request} />,
    },
    {
      key: 'priority',
      header: t('names:field.priority'),
      sort: 'priority',
      cell: ({ priority: urgency }) => {
        const words = urgency && t(`names:request_priority.${urgency}`);
        return urgency === 'high' ? <Tag tone={priorityTone[urgency]}>{words}</Tag> : <Quiet>{words}</Quiet>;
      },
    },
    {
      key: 'sent',
      header: t('column.sent'),
      sort: 'created_at',
      descendingFirst: true,
      cell: (request) => (
        <span className={classes.whole}>
          <RelativeTime at={request.created_at} />
        </span>
      ),
    },
    {
      key: 'due',
      header: t('column.due'),
      sort: 'due_at',
      phone: 'end',
      cell: (request) => (
        <span className={classes.whole}>
          <RequestDueDate request={request} />
        </span>
      ),
    },
    {
      key: 'assignee',
      header: t('assignee'),
      cell: ({ assignee }) => (
        <span className={classes.name}>
          <UserLink id={assignee?.id ?? null} name={assignee?.name ?? null} />
        </span>
      ),
    },
    {
      key: 'status',
      header: t('common:status'),
      phone: 'side',
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
  const filters: GridFilter[] = [
    {
      key: 'kind',
      label: t('desk.kind'),
      choices: kinds.map((value) => ({ value, label: t(`names:request_kind.${value}`) })),
    },
    {
      key: 'status',
      label: t('desk.status'),
      choices: [
        { value: 'open', label: t('desk.undecided') },
        ...states.map((value) => ({ value, label: t(`names:request_status.${value}`) })),
      ],
    },
    {
      key: 'priority',
      label: t('desk.priority'),
      choices: priorities.map((value) => ({ value, label: t(`names:request_priority.${value}`) })),
    },
    {
      key: 'assignee',
      label: t('desk.assignee'),
      choices: [
        { value: 'me', label: t('desk.mine') },
        { value: 'none', label: t('unassigned') },
        ...staff
          .filter((person) => person.id !== me.id)
          .map((person) => ({ value: person.id, label: person.name })),
      ],
    },
  ];
  return (
    <Section title={t('desk.list')} flush>
      <ListGrid<Request>
        list="requests"
        label={t('desk.list')}
        columns={columns}
        rows={(query) => lists.requests(requestQuery(query))}
        rowKey={(request) => request.id}
        rowName={(request) => request.reference}
        defaultSort={{ key: 'created_at', descending: true }}
        hrefOf={(request) => paths.request(request.id)}
        filters={filters}
        search={t('desk.search')}
        views={[
          { key: 'open', name: t('desk.undecided'), query: 'status=open&sort=due_at' },
          { key: 'mine', name: t('desk.mine'), query: 'assignee=me&status=open&sort=due_at' },
          { key: 'unassigned', name: t('desk.unassigned'), query: 'assignee=none&status=open&sort=due_at' },
        ]}
        bulk={(rows, clear) => (
          <>
            <TakeAll requests={rows} onDone={clear} />
            <ExportButton
              name="requests"
              load={() => exportRequests({ ids: rows.map(({ id }) => id).join(',') })}
            />
          </>
        )}
        actions={(query) => <ExportButton name="requests" load={() => exportRequests(requestQuery(query))} />}
        empty={<EmptyState icon={<IconInbox size={20} />} title={t('desk.empty')} />}
      />
      {chosen && <RequestDialog chosen={chosen} onClose={() => setChosen(null)} />}
    </Section>
  );
}

/** Assigns the selected requests to oneself. */
function TakeAll({ requests, onDone }: { requests: Request[]; onDone: () => void }) {
  const { t } = useTranslation('requests');
  const me = useMe();
  const free = requests.filter((request) => request.can.includes('update') && request.assignee?.id !== me.id);
  const { mutate, isPending } = useSave({
    save: () =>
      Promise.all(
        free.map((request) =>
          body(
            api.PATCH('/rest/v1/requests/{id}', {
              params: versionedBody(request),
              body: { assignee_id: me.id },
            }),
          ),
        ),
      ),
    invalidates: 'request',
    onSaved: (taken) => {
      toast({ title: t('taken', { count: taken.length }) });
      onDone();
    },
  });
  return (
    <Button
      variant="default"
      leftSection={<IconUserCheck size={15} aria-hidden="true" />}
      disabled={free.length === 0 || isPending}
      onClick={() => mutate()}
    >
      {t('take')}
    </Button>
  );
}
