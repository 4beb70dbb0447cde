import { UnstyledButton } from '@mantine/core';
import {
  IconBriefcase,
  IconChartBar,
  IconFileText,
  IconInbox,
  IconLayoutDashboard,
  IconLogout,
  IconSettings,
  IconShieldCog,
  IconUsers,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../paths';
import { NavEntry } from '../../shared/Navigation';
import { PortalLayout } from '../../shared/PortalLayout';
import { useLogout } from '../../shared/session/logout';
import { NavGroup, navLink } from '../../ui/NavItem';
import classes from './AdminPortal.module.css';

export function Component() {
  const { t } = useTranslation(['admin', 'common', 'security', 'users']);
  const logout = useLogout();
  // Pages of this portal, one line each.
  const navigation = (
    <div className={classes.sidebar}>
      <NavGroup label={t('common:portal.admin')}>
        <NavEntry to={paths.adminDashboard} end icon={IconLayoutDashboard} label={t('nav.overview')} />
        <NavEntry to={paths.adminUsers} icon={IconUsers} label={t('nav.users')} />
        <NavEntry to={paths.requestManagement} icon={IconInbox} label={t('nav.requests')} />
        <NavEntry to={paths.adminAnalytics} icon={IconChartBar} label={t('nav.analytics')} />
        <NavEntry to={paths.adminSettings} icon={IconSettings} label={t('nav.settings')} />
        <NavEntry to={paths.adminRules} icon={IconShieldCog} label={t('users:rules.nav')} />
        <NavEntry to={paths.adminLogs} icon={IconFileText} label={t('nav.logs')} />
        <NavEntry to={paths.employeeDashboard} icon={IconBriefcase} label={t('common:portal.employee')} />
      </NavGroup>
      <UnstyledButton className={`${navLink} ${classes.logout}`} onClick={() => void logout()}>
        <IconLogout size={16} aria-hidden="true" />
        {t('common:logout')}
      </UnstyledButton>
    </div>
  );
  return (
    <PortalLayout
      portal={t('common:portal.admin')}
      home={paths.adminDashboard}
      navigation={navigation}
      sidebarHasLogout
      security={{ path: paths.adminSecurity, label: t('security:menu') }}
      choices={paths.adminNotifications}
      preferences={paths.adminPreferences}
    />
  );
}
