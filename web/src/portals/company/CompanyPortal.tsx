import {
  IconChartBar,
  IconCoin,
  IconFolders,
  IconInbox,
  IconLayoutDashboard,
  IconReport,
  IconSettings,
  IconUserPlus,
  IconUsers,
  IconUsersGroup,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useLoaderData } from 'react-router-dom';
import type { Me } from '../../api/types';
import { paths } from '../../paths';
import { PortalLayout } from '../../shared/PortalLayout';
import type { NavGroup } from '../../shared/shell/navigation';
import { CompanyLogo } from './CompanyLogo';
import { useCompanyId, useCompanyQuery, useCompanyPath } from './companyContext';
import { CompanySearch } from './CompanySearch';

export function Component() {
  const { t } = useTranslation(['company', 'common', 'security', 'shell', 'requests']);
  const me = useLoaderData<Me>();
  const id = useCompanyId(me);
  const to = useCompanyPath();
  const { data: company, isError } = useCompanyQuery(id);
  const timeZone = company ? company.time_zone : id && !isError ? null : undefined;
  return (
    <PortalLayout
      portal={t('common:portal.company')}
      home={to(paths.companyDashboard)}
      groups={useCompanyNavigation(me)}
      sidebarHeader={id && (company || !isError) ? <CompanyLogo company={company} /> : undefined}
      create={[
        {
          id: 'create admin',
          label: t('employees.invite'),
          icon: IconUserPlus,
          to: to(paths.companyNewEmployee()),
        },
        ...(me.role === 'company_admin'
          ? [
              {
                id: 'create request',
                label: t('requests:submit'),
                icon: IconInbox,
                to: paths.companyRequests,
              },
            ]
          : []),
      ]}
      SearchSource={CompanySearch}
      searchLabel={t('shell:search.label')}
      security={{ path: to(paths.companySecurity), label: t('security:menu') }}
      choices={to(paths.companyNotifications)}
      timeZone={timeZone}
    />
  );
}

/** Pages of this portal; their links keep the company that a super admin selected. */
function useCompanyNavigation(me: Me): NavGroup[] {
  const { t } = useTranslation(['company', 'reports', 'requests']);
  const to = useCompanyPath();
  return [
    {
      label: t('nav.main'),
      items: [
        {
          to: to(paths.companyDashboard),
          exact: true,
          icon: IconLayoutDashboard,
          label: t('nav.overview'),
          goKey: 'd',
          inBar: true,
        },
        { to: to(paths.companySpvs), icon: IconFolders, label: t('nav.spvs'), goKey: 's', inBar: true },
        { to: to(paths.companyEmployees), icon: IconUsersGroup, label: t('nav.employees'), goKey: 'e' },
        { to: to(paths.companyClients), icon: IconUsers, label: t('nav.clients'), goKey: 'c', inBar: true },
        {
          to: to(paths.companyAnalytics),
          icon: IconChartBar,
          label: t('reports:nav.analytics'),
          goKey: 'a',
        },
        {
          to: to(paths.companyFinances),
          icon: IconCoin,
          label: t('reports:nav.finances'),
          goKey: 'f',
          inBar: true,
        },
      ],
    },
    {
      label: t('nav.system'),
      items: [
        { to: to(paths.companySettings), icon: IconSettings, label: t('nav.settings'), goKey: 't' },
        ...(me.role === 'company_admin'
          ? [{ to: paths.companyRequests, icon: IconInbox, label: t('requests:own.nav'), goKey: 'r' }]
          : []),
        { to: to(paths.companyReports), icon: IconReport, label: t('nav.reports'), goKey: 'p' },
      ],
    },
  ];
}
