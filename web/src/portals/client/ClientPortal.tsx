import { useTranslation } from 'react-i18next';
import { paths } from '../../paths';
import { PortalLayout } from '../../shared/PortalLayout';

export function Component() {
  const { t } = useTranslation(['common', 'security']);
  const security = { path: paths.clientProfile, label: t('security:profile.menu') };
  return <PortalLayout portal={t('portal.client')} home={paths.clientDashboard} security={security} />;
}
