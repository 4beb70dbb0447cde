import { Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { paths } from '../../../paths';
import { Section } from '../../../ui/Section';
import { TaskTable } from './TaskTable';
import { useTasks } from './useTasks';

const TASK_LIMIT = 4;

/** Most urgent tasks of the current user. */
export function MyTasks() {
  const { t } = useTranslation('employee');
  const { state, count, more } = useTasks(TASK_LIMIT);
  return (
    <Section
      title={t('tasks.title')}
      flush
      actions={
        count > 0 && (
          <Anchor component={Link} to={paths.employeeTasks} size="sm">
            {more ? t('tasks.first', { count }) : t('tasks.all', { count })}
          </Anchor>
        )
      }
    >
      <TaskTable state={state} expected={TASK_LIMIT} />
    </Section>
  );
}
