import {
  IconCoin,
  IconInbox,
  IconLayoutDashboard,
  IconPhoneCall,
  IconUserCircle,
  IconUserPlus,
  IconUsers,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../paths';
import { PortalLayout } from '../../shared/PortalLayout';
import type { NavGroup } from '../../shared/shell/navigation';
import { IsoSearch } from './IsoSearch';

export function Component() {
  const { t } = useTranslation(['common', 'partners', 'requests', 'security', 'shell']);
  const groups: NavGroup[] = [
    {
      label: t('shell:group.work'),
      items: [
        {
          to: paths.isoDashboard,
          exact: true,
          icon: IconLayoutDashboard,
          label: t('partners:nav.dashboard'),
          goKey: 'd',
          inBar: true,
        },
        { to: paths.isoLeads, icon: IconUserPlus, label: t('partners:nav.leads'), goKey: 'l', inBar: true },
        { to: paths.isoCalls, icon: IconPhoneCall, label: t('partners:nav.calls'), goKey: 'a' },
        { to: paths.isoRequests, icon: IconInbox, label: t('requests:own.nav'), goKey: 'r' },
      ],
    },
    {
      label: t('shell:group.records'),
      items: [
        {
          to: paths.isoClients,
          covers: [paths.isoOrder('')],
          icon: IconUsers,
          label: t('partners:nav.clients'),
          goKey: 'c',
          inBar: true,
        },
        {
          to: paths.isoCommissions,
          icon: IconCoin,
          label: t('partners:nav.commissions'),
          goKey: 'n',
          inBar: true,
        },
      ],
    },
    {
      label: t('shell:group.account'),
      items: [
        {
          to: paths.isoProfile,
          covers: [paths.isoSecurity, paths.isoNotifications],
          icon: IconUserCircle,
          label: t('partners:nav.profile'),
          goKey: 'p',
        },
      ],
    },
  ];
  return (
    <PortalLayout
      portal={t('portal.iso')}
      home={paths.isoDashboard}
      groups={groups}
      create={[
        { id: 'create lead', label: t('shell:create.lead'), icon: IconUserPlus, to: paths.isoNewLead() },
        { id: 'create call', label: t('partners:calls.ask'), icon: IconPhoneCall, to: paths.isoNewCall() },
      ]}
      SearchSource={IsoSearch}
      searchLabel={t('shell:search.label')}
      security={{ path: paths.isoSecurity, label: t('security:menu') }}
      choices={paths.isoNotifications}
      hasProfile
    />
  );
}
