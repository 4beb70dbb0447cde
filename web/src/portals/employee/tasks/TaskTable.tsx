import { Anchor, Text } from '@mantine/core';
import { IconChecklist } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { Task } from '../../../api/types';
import { date } from '../../../messages/format';
import { paths } from '../../../paths';
import { DueTag } from '../../../shared/spvs/DueTag';
import { DataTable, type Column, type TableState } from '../../../ui/DataTable';
import { EmptyState } from '../../../ui/EmptyState';
import { StatusBadge } from '../../../ui/StatusBadge';

/** Task list: open steps, documents to review and requests, overdue first. */
export function TaskTable({ state, expected }: { state: TableState<Task>; expected?: number }) {
  const { t } = useTranslation(['employee', 'common']);
  const columns: Column<Task>[] = [
    {
      key: 'step',
      header: t('tasks.task'),
      wide: true,
      cell: (task) => (
        <>
          <Anchor
            component={Link}
            to={task.spv_id ? paths.employeeOrder(task.spv_id) : paths.request(task.id)}
            size="sm"
            // Requests have their reference as name.
            className={task.kind === 'request' ? 'mono' : undefined}
          >
            {task.name}
          </Anchor>
          {task.kind === 'document_request' && (
            <Text size="xs" c="dimmed">
              {t('tasks.review_for', { step: task.step_name ?? '' })}
            </Text>
          )}
          {task.kind === 'request' && (
            <Text size="xs" c="dimmed">
              {t('tasks.request')}
            </Text>
          )}
        </>
      ),
    },
    {
      key: 'order',
      header: t('tasks.order'),
      cell: (task) => (task.spv_identifier ? <span className="mono">{task.spv_identifier}</span> : '—'),
    },
    { key: 'client', header: t('column.client'), cell: (task) => task.client_name },
    {
      key: 'status',
      header: t('common:status'),
      cell: (task) => <StatusBadge kind={task.kind} status={task.status} />,
    },
    {
      key: 'due',
      header: t('tasks.due'),
      whole: true,
      cell: (task) => (
        <>
          {task.due_date ? date(task.due_date) : '—'} <DueTag day={task.due_date} overdue={task.overdue} />
        </>
      ),
    },
  ];
  return (
    <DataTable
      label={t('tasks.title')}
      columns={columns}
      state={state}
      expected={expected}
      rowKey={(task) => `${task.kind} ${task.id}`}
      empty={
        <EmptyState icon={<IconChecklist size={20} />} title={t('tasks.none')} text={t('tasks.none_text')} />
      }
    />
  );
}
