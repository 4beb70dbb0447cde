import { IconLayoutDashboard, IconShieldCog, IconUsers } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { NavLink } from 'react-router-dom';
import { paths } from '../../paths';
import { PortalLayout } from '../../shared/PortalLayout';
import { NavGroup, navLink } from '../../ui/NavItem';

export function Component() {
  const { t } = useTranslation(['dashboards', 'common', 'security', 'users']);
  const navigation = (
    <NavGroup label={t('common:portal.admin')}>
      <NavLink className={navLink} to={paths.adminDashboard} end>
        <IconLayoutDashboard size={16} aria-hidden="true" />
        {t('admin.overview')}
      </NavLink>
      <NavLink className={navLink} to={paths.adminUsers}>
        <IconUsers size={16} aria-hidden="true" />
        {t('admin.users_title')}
      </NavLink>
      <NavLink className={navLink} to={paths.adminRules}>
        <IconShieldCog size={16} aria-hidden="true" />
        {t('users:rules.nav')}
      </NavLink>
    </NavGroup>
  );
  return (
    <PortalLayout
      portal={t('common:portal.admin')}
      home={paths.adminDashboard}
      navigation={navigation}
      security={{ path: paths.adminSecurity, label: t('security:menu') }}
      choices={paths.adminNotifications}
    />
  );
}
