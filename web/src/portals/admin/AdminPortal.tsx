import {
  IconBriefcase,
  IconBuilding,
  IconChartBar,
  IconDatabaseExport,
  IconFileImport,
  IconFileText,
  IconInbox,
  IconLayoutDashboard,
  IconListCheck,
  IconMail,
  IconSettings,
  IconShieldCog,
  IconUserCheck,
  IconUserPlus,
  IconUsers,
} from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import { paths } from '../../paths';
import { PortalLayout } from '../../shared/PortalLayout';
import type { NavGroup } from '../../shared/shell/navigation';
import { AdminSearch } from './AdminSearch';

export function Component() {
  const { t } = useTranslation(['common', 'security', 'shell']);
  return (
    <PortalLayout
      portal={t('portal.admin')}
      home={paths.adminDashboard}
      groups={useAdminNavigation()}
      create={[
        { id: 'create user', label: t('shell:create.user'), icon: IconUserPlus, to: paths.adminNewUser() },
      ]}
      SearchSource={AdminSearch}
      searchLabel={t('shell:search.label')}
      security={{ path: paths.adminSecurity, label: t('security:menu') }}
      choices={paths.adminNotifications}
      preferences={paths.adminPreferences}
    />
  );
}

function useAdminNavigation(): NavGroup[] {
  const { t } = useTranslation(['admin', 'common', 'shell', 'users']);
  const { data: alerts } = useInfiniteQuery(queries.alerts({ open: true }));
  const { data: desk } = useQuery(queries.requestDesk());
  const { data: approvals } = useQuery(queries.pendingApprovals());
  const waiting = approvals?.filter(({ can }) => can.includes('approve')).length ?? 0;
  const open = alerts?.length ?? 0;
  const pending = desk?.pending ?? 0;
  return [
    {
      label: t('shell:group.work'),
      items: [
        {
          to: paths.adminDashboard,
          exact: true,
          icon: IconLayoutDashboard,
          label: t('nav.overview'),
          goKey: 'd',
          inBar: true,
          count: { value: open, label: t('shell:count.alerts', { count: open }) },
        },
        {
          to: paths.adminUsers,
          icon: IconUsers,
          label: t('nav.users'),
          short: t('nav.users_short'),
          goKey: 'u',
          inBar: true,
        },
        {
          to: paths.requestManagement,
          icon: IconInbox,
          label: t('nav.requests'),
          goKey: 'r',
          inBar: true,
          count: { value: pending, label: t('shell:count.requests', { count: pending }) },
        },
        {
          to: paths.adminApprovals,
          icon: IconUserCheck,
          label: t('approvals.title'),
          goKey: 'p',
          count: { value: waiting, label: t('shell:count.approvals', { count: waiting }) },
        },
        { to: paths.adminAnalytics, icon: IconChartBar, label: t('nav.analytics'), goKey: 'a' },
      ],
    },
    {
      label: t('shell:group.setup'),
      items: [
        { to: paths.adminSettings, icon: IconSettings, label: t('nav.settings'), goKey: 's' },
        { to: paths.adminRules, icon: IconShieldCog, label: t('users:rules.nav'), goKey: 'y' },
      ],
    },
    {
      label: t('shell:group.operations'),
      items: [
        {
          to: paths.adminLogs,
          icon: IconFileText,
          label: t('nav.logs'),
          short: t('nav.logs_short'),
          goKey: 'l',
          inBar: true,
        },
        { to: paths.adminJobs, icon: IconListCheck, label: t('jobs.title'), goKey: 'j' },
        { to: paths.adminOutbox, icon: IconMail, label: t('outbox.title'), goKey: 'o' },
        { to: paths.adminImports, icon: IconFileImport, label: t('imports.title'), goKey: 'i' },
        { to: paths.adminBackups, icon: IconDatabaseExport, label: t('backups.title'), goKey: 'b' },
      ],
    },
    {
      label: t('shell:group.portals'),
      items: [
        {
          to: paths.employeeDashboard,
          icon: IconBriefcase,
          label: t('common:portal.employee'),
          goKey: 'e',
        },
        { to: paths.companyDashboard, icon: IconBuilding, label: t('common:portal.company'), goKey: 'c' },
      ],
    },
  ];
}
