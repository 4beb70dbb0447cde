import { useTranslation } from 'react-i18next';
import { PageHeader } from '../../../ui/PageHeader';
import { Settings } from '../../../ui/Settings';
import { BlocksSection } from './BlocksSection';
import { KeysSection } from './KeysSection';
import { MaintenanceSection } from './MaintenanceSection';
import { MfaSection } from './MfaSection';
import { SignInSection } from './SignInSection';

/** Security settings: sign-in rules, MFA, IP blocklist, signing keys and maintenance. */
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
