import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../ui/PageHeader';
import { NotificationPreferencesPanel } from './NotificationPreferencesPanel';

/** The page of every portal but the client's, whose profile has it. */
export function Component() {
  const { t } = useTranslation('notifications');
  return (
    <>
      <PageHeader title={t('title')} text={t('choices_text')} />
      <NotificationPreferencesPanel />
    </>
  );
}
