import { SegmentedControl, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../../api/client';
import type { Task } from '../../../api/types';
import { number } from '../../../messages/format';
import { getLocale } from '../../../messages/locale';
import { ExportButton } from '../../../shared/ExportButton';
import { useParam } from '../../../shared/queryParams';
import { PageHeader } from '../../../ui/PageHeader';
import { SearchBox } from '../../../ui/SearchBox';
import { Section } from '../../../ui/Section';
import { parseSort, sortText } from '../../../ui/grid/columns';
import { findTasks, sortTasks } from './taskOrder';
import classes from './TasksPage.module.css';
import { TaskTable } from './TaskTable';
import { useTasks } from './useTasks';

const choices = ['all', 'overdue', 'step', 'document_request', 'request'] as const;
type Choice = (typeof choices)[number];

function isShown(task: Task, choice: Choice): boolean {
  return choice === 'all' || (choice === 'overdue' ? task.overdue : task.kind === choice);
}

/** Tasks of the current user; search, choice and order are in the URL. */
export function Component() {
  const { t } = useTranslation(['employee', 'common']);
  const { state, count, more } = useTasks();
  const [param, setParam] = useParam('show');
  const [q, setQ] = useParam('q');
  const [order, setOrder] = useParam('sort');
  const sort = parseSort(order);
  const shown = choices.find((choice) => choice === param) ?? 'all';
  const found = state.rows && findTasks(state.rows, q);
  const rowsOf = (choice: Choice) => found?.filter((task) => isShown(task, choice));
  const rows = rowsOf(shown);
  const none = shown === 'all' ? undefined : t('tasks.none_shown');
  const emptyText = q ? t('common:no_match', { q }) : none;
  const isLoading = !state.rows && !state.error;
  // Kinds without a task are not offered. While loading, all stand there, so that the list does not move.
  const offered = choices.filter(
    (choice) => isLoading || choice === 'all' || choice === shown || rowsOf(choice)?.length,
  );
  return (
    <>
      <PageHeader title={t('tasks.title')} text={t('tasks.text')} />
      <Section
        title={state.rows && !more ? t('tasks.count', { count }) : t('tasks.title')}
        flush
        actions={
          <>
            <SearchBox label={t('tasks.search')} value={q} onChange={setQ} />
            <ExportButton
              name="tasks"
              load={() => body(api.GET('/rest/v1/tasks.csv', { parseAs: 'blob' }))}
            />
          </>
        }
      >
        {more && (
          <Text size="sm" c="dimmed" px="md" py="xs">
            {t('tasks.more', { count })}
          </Text>
        )}
        {offered.length > 2 && (
          <div className={classes.choice}>
            <SegmentedControl
              size="xs"
              aria-label={t('tasks.show')}
              value={shown}
              disabled={isLoading}
              onChange={(next) => setParam(next === 'all' ? '' : next)}
              data={offered.map((choice) => ({
                value: choice,
                label: isLoading
                  ? t(`tasks.show_${choice}`)
                  : `${t(`tasks.show_${choice}`)} ${number(rowsOf(choice)?.length ?? 0)}`,
              }))}
            />
          </div>
        )}
        <TaskTable
          main
          state={{ ...state, rows: rows && sortTasks(rows, sort, getLocale().language) }}
          sort={sort}
          onSort={(next) => setOrder(next ? sortText(next) : '')}
          emptyText={emptyText}
        />
      </Section>
    </>
  );
}
