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
import { Entry } from '../../shared/Navigation';
import { UnreadMessages } from '../../shared/messages/UnreadMessages';
import { PortalLayout } from '../../shared/PortalLayout';
import { NavGroup } from '../../ui/NavItem';

export function Component() {
  const { t } = useTranslation(['common', 'client', 'messages', 'requests', 'security']);
  const navigation = (
    <NavGroup label={t('portal.client')}>
      <Entry to={paths.clientDashboard} end icon={IconLayoutDashboard} label={t('client:nav.dashboard')} />
      <Entry to={paths.clientOrders} icon={IconFolders} label={t('client:nav.orders')} />
      <Entry to={paths.clientDocuments} icon={IconFiles} label={t('client:nav.documents')} />
      <Entry to={paths.clientMessages} icon={IconMessages} label={t('messages:title')}>
        <UnreadMessages />
      </Entry>
      <Entry to={paths.clientRequests} icon={IconInbox} label={t('requests:own.nav')} />
      <Entry to={paths.clientBilling} icon={IconReceipt2} label={t('client:nav.billing')} />
      <Entry to={paths.clientProfile} icon={IconUserCircle} label={t('client:nav.profile')} />
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
