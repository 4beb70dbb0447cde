import { Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../../api/client';
import { ExportButton } from '../../../shared/ExportButton';
import { PageHeader } from '../../../ui/PageHeader';
import { Section } from '../../../ui/Section';
import { TaskTable } from './TaskTable';
import { useTasks } from './useTasks';

export function Component() {
  const { t } = useTranslation('employee');
  const { state, count, more } = useTasks();
  return (
    <>
      <PageHeader title={t('tasks.title')} text={t('tasks.text')} />
      <Section
        title={state.rows && !more ? t('tasks.count', { count }) : t('tasks.title')}
        flush
        actions={
          <ExportButton name="tasks" load={() => body(api.GET('/rest/v1/tasks.csv', { parseAs: 'blob' }))} />
        }
      >
        {more && (
          <Text size="sm" c="dimmed" px="md" py="xs">
            {t('tasks.more', { count })}
          </Text>
        )}
        <TaskTable main state={state} />
      </Section>
    </>
  );
}
