import { Anchor, Button, Stack } from '@mantine/core';
import { IconClockHour4, IconUserCheck, IconUserOff, IconUserPlus, IconUsers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import type { Account } from '../../../api/types';
import { number } from '../../../messages/format';
import { paths } from '../../../paths';
import { useFlag } from '../../../shared/queryParams';
import { CompanySelect } from '../../../shared/selects';
import { ChoiceFilter } from '../../../ui/ChoiceFilter';
import { DataTable, type Column } from '../../../ui/DataTable';
import { RelativeTime } from '../../../ui/DateText';
import { PageHeader } from '../../../ui/PageHeader';
import { Pager } from '../../../ui/Pager';
import { RowMenu } from '../../../ui/RowMenu';
import { SearchBox } from '../../../ui/SearchBox';
import { Section } from '../../../ui/Section';
import { StatCard, StatRow } from '../../../ui/StatCard';
import { EmptyState } from '../../../ui/EmptyState';
import { StatusBadge } from '../../../ui/StatusBadge';
import { useUserActions } from './actions';
import { orders, perPage, roles, statuses, useFilters } from './filters';
import { UserForm } from './UserForm';
import classes from './UsersPage.module.css';

const nameOf = (user: Account) => `${user.first_name} ${user.last_name}`;

/** User list: search, filters and actions. */
export function Component() {
  const { t } = useTranslation(['users', 'names', 'common']);
  const { set, ...filters } = useFilters();
  const [adding, setAdding] = useFlag('new');
  const search = useCallback((q: string) => set({ q }), [set]);
  const { data, error, refetch } = useQuery(
    queries.users({
      q: filters.q || undefined,
      role: filters.role,
      status: filters.status,
      company_id: filters.company || undefined,
      order: filters.order,
      page: filters.page,
      limit: perPage,
    }),
  );
  const counts = data?.counts;
  const columns: Column<Account>[] = [
    { key: 'name', header: t('names:field.name'), cell: nameOf },
    { key: 'email', header: t('names:field.email'), wide: true, whole: true, cell: (user) => user.email },
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
      cell: (user) => <StatusBadge kind="profile" status={user.status} />,
    },
    {
      key: 'active',
      width: 150,
      header: t('last_active'),
      cell: (user) => (user.last_active_at ? <RelativeTime at={user.last_active_at} /> : t('never')),
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
            />
            <StatCard
              label={t('count.active')}
              icon={<IconUserCheck size={18} />}
              value={counts && number(counts.active)}
            />
            <StatCard
              label={t('count.pending')}
              icon={<IconClockHour4 size={18} />}
              value={counts && number(counts.pending)}
            />
            <StatCard
              label={t('count.suspended')}
              icon={<IconUserOff size={18} />}
              value={counts && number(counts.suspended)}
            />
          </StatRow>
        )}
        <Section
          title={t('list')}
          flush
          actions={<SearchBox label={t('search')} value={filters.q} onChange={search} />}
        >
          <div className={classes.filters}>
            <ChoiceFilter
              label={t('names:field.role')}
              all={t('all_roles')}
              value={filters.role ?? ''}
              choices={roles.map((value) => ({ value, label: t(`names:role.${value}`) }))}
              onChange={(role) => set({ role })}
            />
            <ChoiceFilter
              label={t('common:status')}
              all={t('all_statuses')}
              value={filters.status ?? ''}
              choices={statuses.map((value) => ({ value, label: t(`names:profile_status.${value}`) }))}
              onChange={(status) => set({ status })}
            />
            <CompanyFilter value={filters.company} onChange={(company) => set({ company })} />
            <ChoiceFilter
              label={t('sort')}
              value={filters.order}
              choices={orders.map((value) => ({ value, label: t(`order.${value}`) }))}
              onChange={(order) => set({ order })}
            />
          </div>
          <DataTable
            label={t('list')}
            columns={columns}
            state={{
              rows: data?.items,
              error: error ? errorText(error) : null,
              retry: () => void refetch(),
            }}
            rowKey={(user) => user.id}
            empty={
              <EmptyState
                icon={<IconUsers size={20} />}
                title={filters.q ? t('common:no_match', { q: filters.q }) : t('empty')}
              />
            }
          />
          {data && data.total > 0 && (
            <Pager
              page={filters.page}
              perPage={perPage}
              total={data.total}
              onPage={(page) => set({ page: page > 1 ? String(page) : '' })}
            />
          )}
        </Section>
      </Stack>
      {adding && <UserForm onClose={() => setAdding(false)} />}
    </>
  );
}

function CompanyFilter({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { t } = useTranslation(['users', 'names']);
  const { data: company } = useQuery({ ...queries.company(value), enabled: value !== '' });
  return (
    <div className={classes.company}>
      <CompanySelect
        key={company?.id}
        label={t('names:field.company_id')}
        all={t('all_companies')}
        value={value || null}
        initialLabel={company?.name}
        onChange={(next) => onChange(next ?? '')}
      />
    </div>
  );
}

function Actions({ user }: { user: Account }) {
  const { t } = useTranslation('users');
  const { actions, dialog } = useUserActions(user);
  return (
    <div className={classes.actions}>
      <Anchor
        component={Link}
        to={paths.adminUser(user.id)}
        size="sm"
        aria-label={t('details_of', { name: nameOf(user) })}
      >
        {t('details')}
      </Anchor>
      <RowMenu name={nameOf(user)} actions={actions} />
      {dialog}
    </div>
  );
}
