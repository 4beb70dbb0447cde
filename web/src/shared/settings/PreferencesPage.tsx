import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../ui/PageHeader';
import { PreferencesPanel } from './PreferencesPanel';

/** Preferences page of staff; clients have it as a profile tab. */
export function Component() {
  const { t } = useTranslation('profile');
  return (
    <>
      <PageHeader title={t('preferences.title')} text={t('preferences.text')} />
      <PreferencesPanel />
    </>
  );
}
