import { useTranslation } from 'react-i18next';
import { paths } from '../../paths';
import { PortalLayout } from '../../shared/PortalLayout';

export function Component() {
  const { t } = useTranslation(['common', 'security']);
  const security = { path: paths.employeeSecurity, label: t('security:menu') };
  return <PortalLayout portal={t('portal.employee')} home={paths.employeeDashboard} security={security} />;
}
