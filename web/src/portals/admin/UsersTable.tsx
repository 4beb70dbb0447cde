import { IconUsers } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import type { AdminUser } from '../../api/types';
import { listState } from '../../shared/listState';
import { DataTable, type Column } from '../../ui/DataTable';
import { Ago } from '../../ui/DateText';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/states';
import { StatusBadge } from '../../ui/StatusBadge';

/** Everyone who can sign in, whoever came last first. */
export function UsersTable() {
  const { t } = useTranslation(['dashboards', 'common', 'names']);
  const query = useInfiniteQuery(queries.adminDashboard());
  const state = listState({ ...query, data: query.data?.pages.flatMap((page) => page.items) });
  const columns: Column<AdminUser>[] = [
    { key: 'name', header: t('admin.name'), cell: (user) => `${user.first_name} ${user.last_name}` },
    { key: 'email', wide: true, header: t('email'), cell: (user) => user.email },
    { key: 'role', header: t('admin.role'), cell: (user) => t(`names:role.${user.role}`) },
    {
      key: 'status',
      header: t('common:status'),
      cell: (user) => <StatusBadge kind="profile" status={user.status} />,
    },
    {
      key: 'last',
      header: t('admin.last_sign_in'),
      cell: (user) => (user.last_sign_in_at ? <Ago at={user.last_sign_in_at} /> : '—'),
    },
  ];
  return (
    <Section title={t('admin.users')} flush>
      <DataTable
        label={t('admin.users')}
        columns={columns}
        state={state}
        rowKey={(user) => user.id}
        empty={<EmptyState icon={<IconUsers size={20} />} title={t('admin.no_users')} />}
      />
    </Section>
  );
}
