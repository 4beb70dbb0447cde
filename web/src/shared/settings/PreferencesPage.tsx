import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../ui/PageHeader';
import { PreferencesPanel } from './PreferencesPanel';

/** The staff's page of the panel; a client's profile has it as a tab. */
export function Component() {
  const { t } = useTranslation('profile');
  return (
    <>
      <PageHeader title={t('preferences.title')} text={t('preferences.text')} />
      <PreferencesPanel />
    </>
  );
}
