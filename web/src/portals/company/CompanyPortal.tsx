import { IconLayoutDashboard } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { NavLink } from 'react-router-dom';
import { paths } from '../../paths';
import { PortalLayout } from '../../shared/PortalLayout';
import { NavGroup, navLink } from '../../ui/NavItem';

export function Component() {
  const { t } = useTranslation(['dashboards', 'common', 'security']);
  const navigation = (
    <NavGroup label={t('company.main')}>
      <NavLink className={navLink} to={paths.companyDashboard} end>
        <IconLayoutDashboard size={16} aria-hidden="true" />
        {t('company.overview')}
      </NavLink>
    </NavGroup>
  );
  return (
    <PortalLayout
      portal={t('common:portal.company')}
      home={paths.companyDashboard}
      navigation={navigation}
      security={{ path: paths.companySecurity, label: t('security:menu') }}
      choices={paths.companyNotifications}
    />
  );
}
