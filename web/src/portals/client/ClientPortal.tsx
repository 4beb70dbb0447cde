import {
  IconFiles,
  IconFolderPlus,
  IconFolders,
  IconInbox,
  IconLayoutDashboard,
  IconMessages,
  IconReceipt2,
  IconUserCircle,
} from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../paths';
import { useUnreadCount } from '../../shared/messages/useUnreadCount';
import { PortalLayout } from '../../shared/PortalLayout';
import type { NavGroup } from '../../shared/shell/navigation';
import { ClientSearch } from './ClientSearch';

export function Component() {
  const { t } = useTranslation(['common', 'client', 'messages', 'requests', 'security', 'shell']);
  const unread = useUnreadCount();
  const groups: NavGroup[] = [
    {
      label: t('shell:group.work'),
      items: [
        {
          to: paths.clientDashboard,
          exact: true,
          covers: [paths.clientActivity],
          icon: IconLayoutDashboard,
          label: t('client:nav.dashboard'),
          goKey: 'd',
          inBar: true,
        },
        {
          to: paths.clientMessages,
          icon: IconMessages,
          label: t('messages:title'),
          goKey: 'm',
          inBar: true,
          count: unread,
        },
        { to: paths.clientRequests, icon: IconInbox, label: t('requests:own.nav'), goKey: 'r' },
      ],
    },
    {
      label: t('shell:group.records'),
      items: [
        { to: paths.clientOrders, icon: IconFolders, label: t('client:nav.orders'), goKey: 'o', inBar: true },
        {
          to: paths.clientDocuments,
          icon: IconFiles,
          label: t('client:nav.documents'),
          goKey: 'f',
          inBar: true,
        },
        { to: paths.clientBilling, icon: IconReceipt2, label: t('client:nav.billing'), goKey: 'b' },
      ],
    },
    {
      label: t('shell:group.account'),
      items: [{ to: paths.clientProfile, icon: IconUserCircle, label: t('client:nav.profile'), goKey: 'p' }],
    },
  ];
  return (
    <PortalLayout
      portal={t('portal.client')}
      home={paths.clientDashboard}
      groups={groups}
      create={[
        {
          id: 'create order',
          label: t('shell:create.order_request'),
          icon: IconFolderPlus,
          to: paths.clientNewOrder,
        },
      ]}
      SearchSource={ClientSearch}
      searchLabel={t('shell:search.label')}
      security={{ path: paths.clientProfile, label: t('security:profile.menu') }}
      choices={paths.clientProfileTab('notifications')}
      hasProfile
    />
  );
}
