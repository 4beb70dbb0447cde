import {
  IconFiles,
  IconFolders,
  IconInbox,
  IconLayoutDashboard,
  IconMessages,
  IconReceipt2,
  IconUserCircle,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../paths';
import { NavEntry } from '../../shared/Navigation';
import { UnreadMessages } from '../../shared/messages/UnreadMessages';
import { PortalLayout } from '../../shared/PortalLayout';
import { NavGroup } from '../../ui/NavItem';

export function Component() {
  const { t } = useTranslation(['common', 'client', 'messages', 'requests', 'security']);
  const navigation = (
    <NavGroup label={t('portal.client')}>
      <NavEntry to={paths.clientDashboard} end icon={IconLayoutDashboard} label={t('client:nav.dashboard')} />
      <NavEntry to={paths.clientOrders} icon={IconFolders} label={t('client:nav.orders')} />
      <NavEntry to={paths.clientDocuments} icon={IconFiles} label={t('client:nav.documents')} />
      <NavEntry to={paths.clientMessages} icon={IconMessages} label={t('messages:title')}>
        <UnreadMessages />
      </NavEntry>
      <NavEntry to={paths.clientRequests} icon={IconInbox} label={t('requests:own.nav')} />
      <NavEntry to={paths.clientBilling} icon={IconReceipt2} label={t('client:nav.billing')} />
      <NavEntry to={paths.clientProfile} icon={IconUserCircle} label={t('client:nav.profile')} />
    </NavGroup>
  );
  return (
    <PortalLayout
      portal={t('portal.client')}
      home={paths.clientDashboard}
      navigation={navigation}
      security={{ path: paths.clientProfile, label: t('security:profile.menu') }}
      choices={paths.clientProfileTab('notifications')}
    />
  );
}
