import { useTranslation } from 'react-i18next';
import { paths } from '../../paths';
import { PortalLayout } from '../../shared/PortalLayout';

export function Component() {
  const { t } = useTranslation(['common', 'security']);
  const security = { path: paths.isoSecurity, label: t('security:menu') };
  return (
    <PortalLayout
      portal={t('portal.iso')}
      home={paths.isoDashboard}
      security={security}
      choices={paths.isoNotifications}
    />
  );
}
