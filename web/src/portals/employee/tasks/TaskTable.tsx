import { Text } from '@mantine/core';
import { IconChecklist } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Task } from '../../../api/types';
import { date } from '../../../messages/format';
import { paths } from '../../../paths';
import { ClientLink } from '../../../shared/records/links';
import { DueTag } from '../../../shared/spvs/DueTag';
import type { GridColumn, GridState, Sort } from '../../../ui/grid/columns';
import { RowGrid } from '../../../shared/grid/RowGrid';
import { EmptyState } from '../../../ui/EmptyState';
import { StatusBadge } from '../../../ui/StatusBadge';
import classes from './TaskTable.module.css';
import { OrderLabel } from '../../../shared/spvs/OrderLabel';

const pathOf = (task: Task) => (task.spv_id ? paths.employeeOrder(task.spv_id) : paths.request(task.id));

interface Props {
  state: GridState<Task>;
  expected?: number;
  /** While a choice of tasks has none. */
  emptyText?: string;
  /** The main list of the page. */
  main?: boolean;
  sort?: Sort | null;
  /** Offers the columns to sort by. */
  onSort?: (sort: Sort | null) => void;
}

/** Status that several tasks all have. */
function sharedStatus([first, ...others]: Task[] = []): Task | undefined {
  const isSame = (task: Task) => task.kind === first?.kind && task.status === first.status;
  return others.length > 0 && others.every(isSame) ? first : undefined;
}

/** Task list: open steps, documents to review and requests, overdue first. */
export function TaskTable({ state, expected, emptyText, main, sort, onSort }: Props) {
  const { t } = useTranslation(['employee', 'common', 'names']);
  // Requests have no order, and their sender is in the title.
  const hasOrders = !state.rows || state.rows.some((task) => task.spv_identifier);
  // Not where the tasks are sorted by it.
  const shared = onSort ? undefined : sharedStatus(state.rows);
  const hidden = [...(hasOrders ? [] : ['order', 'client']), ...(shared ? ['status'] : [])];
  const columns: GridColumn<Task>[] = [
    {
      key: 'step',
      phone: 'title',
      header: t('tasks.task'),
      sort: 'task',
      link: (task) =>
        task.request_kind
          ? t('tasks.request_from', {
              kind: t(`names:request_kind.${task.request_kind}`),
              name: task.client_name,
            })
          : task.name,
      cell: (task) => (
        <>
          {task.kind === 'document_request' && (
            <Text size="xs" c="dimmed">
              {t('tasks.review_for', { step: task.step_name ?? '' })}
            </Text>
          )}
          {task.kind === 'request' && (
            <Text size="xs" c="dimmed" lineClamp={1}>
              <span className="mono">{task.name}</span>
              {task.request_subject && ` · ${task.request_subject}`}
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'order',
      header: t('tasks.order'),
      cell: (task) =>
        task.spv_identifier ? (
          <OrderLabel spv={{ vehicle_name: task.vehicle_name, identifier: task.spv_identifier }} />
        ) : (
          '—'
        ),
    },
    {
      key: 'client',
      phone: 'text',
      header: t('column.client'),
      sort: 'client',
      cell: (task) => <ClientLink id={task.client_id} name={task.client_name} />,
    },
    {
      key: 'status',
      phone: 'side',
      header: t('common:status'),
      sort: 'status',
      cell: (task) => <StatusBadge kind={task.kind} status={task.status} />,
    },
    {
      key: 'due',
      phone: 'end',
      header: t('tasks.due'),
      sort: 'due',
      cell: (task) => (
        <>
          <span className={classes.day}>{task.due_date ? date(task.due_date) : '—'}</span>{' '}
          <DueTag day={task.due_date} overdue={task.overdue} />
        </>
      ),
    },
  ];
  return (
    <>
      {shared && (
        <Text size="sm" c="dimmed" px="md" py="xs">
          {t('tasks.all_status', { status: t(`names:${shared.kind}_status.${shared.status}`) })}
        </Text>
      )}
      <RowGrid
        main={main}
        label={t('tasks.title')}
        columns={columns}
        state={state}
        hidden={hidden}
        sort={sort}
        onSort={onSort}
        expected={expected}
        hrefOf={pathOf}
        rowKey={(task) => `${task.kind} ${task.id}`}
        empty={
          <EmptyState
            icon={<IconChecklist size={20} />}
            title={emptyText ?? t('tasks.none')}
            text={emptyText ? undefined : t('tasks.none_text')}
          />
        }
      />
    </>
  );
}
