import { Button, Stack } from '@mantine/core';
import {
  IconClockHour4,
  IconUser,
  IconUserCheck,
  IconUserOff,
  IconUserPlus,
  IconUsers,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { lists, type UserQuery } from '../../../api/lists';
import { queries } from '../../../api/queries';
import type { Account } from '../../../api/types';
import { localDay, number } from '../../../messages/format';
import { paths } from '../../../paths';
import { linkTo } from '../../../shared/linkTo';
import { useFlag } from '../../../shared/queryParams';
import { useCompanyFilter } from '../../../shared/grid/companyFilter';
import { ListGrid, type GridQuery } from '../../../shared/grid/ListGrid';
import { DateText, RelativeTime } from '../../../ui/DateText';
import { PageHeader } from '../../../ui/PageHeader';
import { RowMenu } from '../../../ui/RowMenu';
import { Section } from '../../../ui/Section';
import { StatCard, StatRow } from '../../../ui/StatCard';
import { EmptyState } from '../../../ui/EmptyState';
import { StatusBadge } from '../../../ui/StatusBadge';
import type { GridColumn } from '../../../ui/grid/columns';
import { useUserActions } from './actions';
import { roles, statuses } from './filters';
import { UserForm } from './UserForm';
import classes from './UsersPage.module.css';

const nameOf = (user: Account) => `${user.first_name} ${user.last_name}`;

function userQuery({ filters, ...query }: GridQuery): UserQuery {
  return {
    ...query,
    role: roles.find((known) => known === filters.role),
    status: statuses.find((known) => known === filters.status),
    company_id: filters.company || undefined,
  };
}

/** User list: search, filters and actions. */
export function Component() {
  const { t } = useTranslation(['users', 'names', 'common']);
  const [adding, setAdding] = useFlag('new');
  const companyFilter = useCompanyFilter();
  const { data, error } = useQuery(queries.users({ limit: 1 }));
  const counts = data?.counts;
  const columns: GridColumn<Account>[] = [
    {
      key: 'name',
      header: t('names:field.name'),
      sort: 'name',
      phone: 'title',
      link: nameOf,
      cell: () => null,
    },
    { key: 'email', whole: true, header: t('names:field.email'), phone: 'text', cell: (user) => user.email },
    {
      key: 'role',
      header: t('names:field.role'),
      cell: (user) => (
        <>
          {t(`names:role.${user.role}`)}
          {user.company_name && <div className={classes.of}>{user.company_name}</div>}
        </>
      ),
    },
    {
      key: 'status',
      width: 116,
      header: t('common:status'),
      phone: 'side',
      cell: (user) => <StatusBadge kind="profile" status={user.status} />,
    },
    {
      key: 'active',
      width: 150,
      header: t('last_active'),
      sort: 'last_active_at',
      descendingFirst: true,
      phone: 'end',
      cell: (user) => (user.last_active_at ? <RelativeTime at={user.last_active_at} /> : t('never')),
    },
    {
      key: 'added',
      header: t('added'),
      sort: 'created_at',
      descendingFirst: true,
      hidden: true,
      cell: (user) => <DateText day={localDay(user.created_at)} />,
    },
    { key: 'actions', header: t('common:actions'), actions: true, cell: (user) => <Actions user={user} /> },
  ];
  return (
    <>
      <PageHeader
        title={t('title')}
        text={t('text')}
        actions={
          <Button leftSection={<IconUserPlus size={16} aria-hidden="true" />} onClick={() => setAdding(true)}>
            {t('add')}
          </Button>
        }
      />
      <Stack gap="md">
        {(counts ?? !error) && (
          <StatRow>
            <StatCard
              label={t('count.total')}
              icon={<IconUsers size={18} />}
              value={counts && number(counts.total)}
              link={linkTo(paths.adminUsers)}
            />
            <StatCard
              label={t('count.active')}
              icon={<IconUserCheck size={18} />}
              value={counts && number(counts.active)}
              link={linkTo(paths.adminUsersOf({ status: 'active' }))}
            />
            <StatCard
              label={t('count.pending')}
              icon={<IconClockHour4 size={18} />}
              value={counts && number(counts.pending)}
              link={linkTo(paths.adminUsersOf({ status: 'pending' }))}
            />
            <StatCard
              label={t('count.suspended')}
              icon={<IconUserOff size={18} />}
              value={counts && number(counts.suspended)}
              link={linkTo(paths.adminUsersOf({ status: 'suspended' }))}
            />
          </StatRow>
        )}
        <Section title={t('list')} flush>
          <ListGrid<Account>
            list="users"
            label={t('list')}
            columns={columns}
            rows={(query) => lists.users(userQuery(query))}
            rowKey={(user) => user.id}
            rowName={nameOf}
            defaultSort={{ key: 'created_at', descending: true }}
            hrefOf={(user) => paths.adminUser(user.id)}
            filters={[
              {
                key: 'role',
                label: t('names:field.role'),
                choices: roles.map((value) => ({ value, label: t(`names:role.${value}`) })),
              },
              {
                key: 'status',
                label: t('common:status'),
                choices: statuses.map((value) => ({ value, label: t(`names:profile_status.${value}`) })),
              },
              companyFilter,
            ]}
            views={(['pending', 'suspended', 'archived'] as const).map((status) => ({
              key: status,
              name: t(`names:profile_status.${status}`),
              query: `status=${status}`,
            }))}
            search={t('search')}
            empty={<EmptyState icon={<IconUsers size={20} />} title={t('empty')} />}
          />
        </Section>
      </Stack>
      {adding && <UserForm onClose={() => setAdding(false)} />}
    </>
  );
}

function Actions({ user }: { user: Account }) {
  const { t } = useTranslation('users');
  const navigate = useNavigate();
  const { actions, dialog } = useUserActions(user);
  return (
    <>
      <RowMenu
        name={nameOf(user)}
        actions={[
          {
            label: t('details'),
            icon: <IconUser size={15} />,
            onClick: () => void navigate(paths.adminUser(user.id)),
          },
          ...actions,
        ]}
      />
      {dialog}
    </>
  );
}
