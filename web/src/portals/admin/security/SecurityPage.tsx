import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../../ui/PageHeader';
import { Settings } from '../../../ui/Settings';
import { BlocksSection } from './BlocksSection';
import { KeysSection } from './KeysSection';
import { MaintenanceSection } from './MaintenanceSection';
import { MfaSection } from './MfaSection';
import { SignInSection } from './SignInSection';

/** What everybody's sign-in has to keep to, who is kept out, and what the portal signs with. */
export function Component() {
  const { t } = useTranslation('users');
  return (
    <>
      <PageHeader title={t('rules.title')} text={t('rules.text')} />
      <Settings>
        <MfaSection />
        <SignInSection />
        <BlocksSection />
        <KeysSection />
        <MaintenanceSection />
      </Settings>
    </>
  );
}
