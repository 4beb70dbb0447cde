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
import { Entry } from '../../shared/Navigation';
import { PortalLayout } from '../../shared/PortalLayout';
import { useLogout } from '../../shared/session/logout';
import { NavGroup, navLink } from '../../ui/NavItem';
import { CompanyMark } from './CompanyLogo';
import { useCompanyId, useCompanyQuery, useKeepCompany } from './companyContext';
import classes from './CompanyPortal.module.css';

export function Component() {
  const { t } = useTranslation(['company', 'common', 'security', 'reports', 'requests']);
  const logout = useLogout();
  const to = useKeepCompany();
  const me = useLoaderData<Me>();
  const id = useCompanyId(me);
  const { data: company, isError } = useCompanyQuery(id);
  const timeZone = company ? company.time_zone : id && !isError ? null : undefined;
  // A page of this portal is one line here; `to` keeps the company that a super admin picked.
  const navigation = (
    <div className={classes.sidebar}>
      {id && (company || !isError) && <CompanyMark company={company} />}
      <NavGroup label={t('nav.main')}>
        <Entry to={to(paths.companyDashboard)} end icon={IconLayoutDashboard} label={t('nav.overview')} />
        <Entry to={to(paths.companySpvs)} icon={IconFolders} label={t('nav.spvs')} />
        <Entry to={to(paths.companyEmployees)} icon={IconUsersGroup} label={t('nav.employees')} />
        <Entry to={to(paths.companyClients)} icon={IconUsers} label={t('nav.clients')} />
        <Entry to={to(paths.companyAnalytics)} icon={IconChartBar} label={t('reports:nav.analytics')} />
        <Entry to={to(paths.companyFinances)} icon={IconCoin} label={t('reports:nav.finances')} />
      </NavGroup>
      <NavGroup label={t('nav.system')}>
        <Entry to={to(paths.companySettings)} icon={IconSettings} label={t('nav.settings')} />
        {me.role === 'company_admin' && (
          <Entry to={paths.companyRequests} icon={IconInbox} label={t('requests:own.nav')} />
        )}
        <Entry to={to(paths.companyReports)} icon={IconReport} label={t('nav.reports')} />
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
