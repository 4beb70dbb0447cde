import {
  IconBriefcase,
  IconBuilding,
  IconCash,
  IconChecklist,
  IconCoin,
  IconFiles,
  IconFolders,
  IconInbox,
  IconLayoutDashboard,
  IconListNumbers,
  IconMessages,
  IconPhoneCall,
  IconReceipt2,
  IconShieldStar,
  IconTags,
  IconUserPlus,
  IconUsers,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queries } from '../../../api/queries';
import type { Me } from '../../../api/types';
import { paths } from '../../../paths';
import { useUnreadCount } from '../../../shared/messages/useUnreadCount';
import type { NavGroup } from '../../../shared/shell/navigation';

/** Pages of staff, with what waits for this person. */
export function useStaffNavigation(me: Me): NavGroup[] {
  const { t } = useTranslation(['shell', 'employee', 'messages', 'partners']);
  const { data: tasks } = useQuery(queries.tasks());
  const { data: desk } = useQuery(queries.requestDesk());
  const { data: billing } = useQuery(queries.billing());
  const unread = useUnreadCount();
  const overdue = billing?.owed.reduce((sum, owed) => sum + owed.overdue, 0) ?? 0;
  const open = tasks?.items.length ?? 0;
  const late = tasks?.items.filter((task) => task.overdue).length ?? 0;
  const pending = desk?.pending ?? 0;
  return [
    {
      label: t('group.work'),
      items: [
        {
          to: paths.employeeTasks,
          icon: IconChecklist,
          label: t('employee:tasks.title'),
          goKey: 't',
          inBar: true,
          count: late
            ? { value: late, overdue: true, label: t('count.tasks_overdue', { count: late }) }
            : { value: open, label: t('count.tasks', { count: open }) },
        },
        {
          to: paths.requestManagement,
          icon: IconInbox,
          label: t('employee:nav.requests'),
          goKey: 'r',
          inBar: true,
          count: { value: pending, label: t('count.requests', { count: pending }) },
        },
        {
          to: paths.employeeMessages,
          icon: IconMessages,
          label: t('messages:title'),
          goKey: 'm',
          inBar: true,
          count: unread,
        },
      ],
    },
    {
      label: t('group.records'),
      items: [
        {
          to: paths.employeeDashboard,
          exact: true,
          icon: IconLayoutDashboard,
          label: t('employee:nav.dashboard'),
          goKey: 'd',
        },
        {
          to: paths.employeeSpvs,
          covers: [paths.employeeOrder('')],
          icon: IconFolders,
          label: t('employee:tab.spvs'),
          goKey: 's',
          inBar: true,
        },
        { to: paths.employeeClients, icon: IconUsers, label: t('employee:tab.clients'), goKey: 'c' },
        { to: paths.employeeCompanies, icon: IconBuilding, label: t('employee:tab.companies'), goKey: 'o' },
        { to: paths.employeeIsos, icon: IconBriefcase, label: t('nav.isos'), goKey: 'i' },
        { to: paths.employeeDocuments, icon: IconFiles, label: t('employee:nav.documents'), goKey: 'f' },
        { to: paths.employeeLeads, icon: IconUserPlus, label: t('partners:nav.leads'), goKey: 'l' },
        { to: paths.employeeCalls, icon: IconPhoneCall, label: t('partners:nav.calls'), goKey: 'a' },
      ],
    },
    {
      label: t('group.money'),
      items: [
        {
          to: paths.employeeInvoices,
          icon: IconReceipt2,
          label: t('employee:nav.invoices'),
          goKey: 'v',
          count: { value: overdue, overdue: true, label: t('count.invoices', { count: overdue }) },
        },
        { to: paths.employeeCommissions, icon: IconCoin, label: t('partners:nav.commissions'), goKey: 'n' },
        { to: paths.employeePayouts, icon: IconCash, label: t('nav.payouts'), goKey: 'p' },
      ],
    },
    {
      label: t('group.setup'),
      items: [
        {
          to: paths.employeeTemplates,
          icon: IconListNumbers,
          label: t('employee:nav.templates'),
          goKey: 'e',
        },
        { to: paths.employeePriceList, icon: IconTags, label: t('employee:nav.price_list'), goKey: 'w' },
        ...(me.role === 'super_admin'
          ? [{ to: paths.adminDashboard, icon: IconShieldStar, label: t('employee:nav.admin'), goKey: 'x' }]
          : []),
      ],
    },
  ];
}
