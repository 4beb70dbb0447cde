import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../ui/PageHeader';
import { NotificationPreferencesPanel } from './NotificationPreferencesPanel';

/** Notification preferences of every portal but the client, whose profile includes them. */
export function Component() {
  const { t } = useTranslation('notifications');
  return (
    <>
      <PageHeader title={t('title')} text={t('choices_text')} />
      <NotificationPreferencesPanel />
    </>
  );
}
