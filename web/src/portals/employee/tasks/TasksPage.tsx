import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../../ui/PageHeader';
import { Section } from '../../../ui/Section';
import { TaskTable } from './TaskTable';
import { useTasks } from './useTasks';

export function Component() {
  const { t } = useTranslation('employee');
  const { state, count } = useTasks();
  return (
    <>
      <PageHeader title={t('tasks.title')} text={t('tasks.text')} />
      <Section title={state.rows ? t('tasks.count', { count }) : t('tasks.title')} flush>
        <TaskTable state={state} />
      </Section>
    </>
  );
}
