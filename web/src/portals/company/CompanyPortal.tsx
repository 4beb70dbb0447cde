import { UnstyledButton } from '@mantine/core';
import {
  IconChartBar,
  IconCoin,
  IconFolders,
  IconInbox,
  IconLayoutDashboard,
  IconLogout,
  IconReport,
  IconSettings,
  IconUsers,
  IconUsersGroup,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useLoaderData } from 'react-router-dom';
import type { Me } from '../../api/types';
import { paths } from '../../paths';
import { NavEntry } from '../../shared/Navigation';
import { PortalLayout } from '../../shared/PortalLayout';
import { useLogout } from '../../shared/session/logout';
import { NavGroup, navLink } from '../../ui/NavItem';
import { CompanyLogo } from './CompanyLogo';
import { useCompanyId, useCompanyQuery, useCompanyPath } from './companyContext';
import classes from './CompanyPortal.module.css';

export function Component() {
  const { t } = useTranslation(['company', 'common', 'security', 'reports', 'requests']);
  const logout = useLogout();
  const to = useCompanyPath();
  const me = useLoaderData<Me>();
  const id = useCompanyId(me);
  const { data: company, isError } = useCompanyQuery(id);
  const timeZone = company ? company.time_zone : id && !isError ? null : undefined;
  // Pages of this portal, one line each; `to` keeps the company that a super admin selected.
  const navigation = (
    <div className={classes.sidebar}>
      {id && (company || !isError) && <CompanyLogo company={company} />}
      <NavGroup label={t('nav.main')}>
        <NavEntry to={to(paths.companyDashboard)} end icon={IconLayoutDashboard} label={t('nav.overview')} />
        <NavEntry to={to(paths.companySpvs)} icon={IconFolders} label={t('nav.spvs')} />
        <NavEntry to={to(paths.companyEmployees)} icon={IconUsersGroup} label={t('nav.employees')} />
        <NavEntry to={to(paths.companyClients)} icon={IconUsers} label={t('nav.clients')} />
        <NavEntry to={to(paths.companyAnalytics)} icon={IconChartBar} label={t('reports:nav.analytics')} />
        <NavEntry to={to(paths.companyFinances)} icon={IconCoin} label={t('reports:nav.finances')} />
      </NavGroup>
      <NavGroup label={t('nav.system')}>
        <NavEntry to={to(paths.companySettings)} icon={IconSettings} label={t('nav.settings')} />
        {me.role === 'company_admin' && (
          <NavEntry to={paths.companyRequests} icon={IconInbox} label={t('requests:own.nav')} />
        )}
        <NavEntry to={to(paths.companyReports)} icon={IconReport} label={t('nav.reports')} />
      </NavGroup>
      <UnstyledButton className={`${navLink} ${classes.logout}`} onClick={() => void logout()}>
        <IconLogout size={16} aria-hidden="true" />
        {t('common:logout')}
      </UnstyledButton>
    </div>
  );
  return (
    <PortalLayout
      portal={t('common:portal.company')}
      home={to(paths.companyDashboard)}
      navigation={navigation}
      sidebarHasLogout
      security={{ path: to(paths.companySecurity), label: t('security:menu') }}
      choices={to(paths.companyNotifications)}
      timeZone={timeZone}
    />
  );
}
