import {
  IconChecklist,
  IconCoin,
  IconFiles,
  IconInbox,
  IconLayoutDashboard,
  IconListNumbers,
  IconMessages,
  IconPhoneCall,
  IconReceipt2,
  IconShieldStar,
  IconUserPlus,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useLoaderData } from 'react-router-dom';
import type { Me } from '../../api/types';
import { paths } from '../../paths';
import { NavEntry } from '../../shared/Navigation';
import { UnreadMessages } from '../../shared/messages/UnreadMessages';
import { PortalLayout } from '../../shared/PortalLayout';
import { NavGroup } from '../../ui/NavItem';
import { Search, SearchEntry } from './search/Search';
import { SeedOutcome } from './SeedOutcome';

export function Component() {
  const { t } = useTranslation(['common', 'employee', 'messages', 'partners', 'security']);
  const me = useLoaderData<Me>();
  const navigation = (
    <NavGroup label={t('portal.employee')}>
      <SearchEntry />
      <NavEntry
        to={paths.employeeDashboard}
        end
        icon={IconLayoutDashboard}
        label={t('employee:nav.dashboard')}
      />
      <NavEntry to={paths.employeeTasks} icon={IconChecklist} label={t('employee:tasks.title')} />
      <NavEntry to={paths.requestManagement} icon={IconInbox} label={t('employee:nav.requests')} />
      <NavEntry to={paths.employeeDocuments} icon={IconFiles} label={t('employee:nav.documents')} />
      <NavEntry to={paths.employeeMessages} icon={IconMessages} label={t('messages:title')}>
        <UnreadMessages />
      </NavEntry>
      <NavEntry to={paths.employeeInvoices} icon={IconReceipt2} label={t('employee:nav.invoices')} />
      <NavEntry to={paths.employeeCommissions} icon={IconCoin} label={t('partners:nav.commissions')} />
      <NavEntry to={paths.employeeLeads} icon={IconUserPlus} label={t('partners:nav.leads')} />
      <NavEntry to={paths.employeeCalls} icon={IconPhoneCall} label={t('partners:nav.calls')} />
      <NavEntry to={paths.employeeTemplates} icon={IconListNumbers} label={t('employee:nav.templates')} />
      {me.role === 'super_admin' && (
        <NavEntry to={paths.adminDashboard} icon={IconShieldStar} label={t('employee:nav.admin')} />
      )}
    </NavGroup>
  );
  return (
    <>
      <PortalLayout
        portal={t('portal.employee')}
        home={paths.employeeDashboard}
        navigation={navigation}
        security={{ path: paths.employeeSecurity, label: t('security:menu') }}
        choices={paths.employeeNotifications}
        preferences={paths.employeePreferences}
      />
      <Search />
      <SeedOutcome user={me.id} />
    </>
  );
}
