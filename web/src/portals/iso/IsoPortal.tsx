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
import { NavEntry } from '../../shared/Navigation';
import { PortalLayout } from '../../shared/PortalLayout';
import { NavGroup } from '../../ui/NavItem';

export function Component() {
  const { t } = useTranslation(['common', 'partners', 'requests', 'security']);
  const security = { path: paths.isoSecurity, label: t('security:menu') };
  const navigation = (
    <NavGroup label={t('portal.iso')}>
      <NavEntry to={paths.isoDashboard} end icon={IconLayoutDashboard} label={t('partners:nav.dashboard')} />
      <NavEntry to={paths.isoClients} icon={IconUsers} label={t('partners:nav.clients')} />
      <NavEntry to={paths.isoCommissions} icon={IconCoin} label={t('partners:nav.commissions')} />
      <NavEntry to={paths.isoLeads} icon={IconUserPlus} label={t('partners:nav.leads')} />
      <NavEntry to={paths.isoCalls} icon={IconPhoneCall} label={t('partners:nav.calls')} />
      <NavEntry to={paths.isoRequests} icon={IconInbox} label={t('requests:own.nav')} />
      <NavEntry to={paths.isoProfile} icon={IconUserCircle} label={t('partners:nav.profile')} />
    </NavGroup>
  );
  return (
    <PortalLayout
      portal={t('portal.iso')}
      home={paths.isoDashboard}
      navigation={navigation}
      security={security}
      choices={paths.isoNotifications}
    />
  );
}
