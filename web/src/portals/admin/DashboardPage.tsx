import { Stack } from '@mantine/core';
import { IconDatabase, IconHeartbeat, IconPlugConnected, IconUsers } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import { bytes, number, percent } from '../../messages/format';
import { useMe } from '../../shared/session/me';
import { PageHeader } from '../../ui/PageHeader';
import { StatCard, StatRow } from '../../ui/StatCard';
import { UsersTable } from './UsersTable';

export function Component() {
  const { t } = useTranslation('dashboards');
  const me = useMe();
  const query = useInfiniteQuery(queries.adminDashboard());
  const data = query.data?.pages[0];
  const quota = data?.storage_quota_bytes;
  // The table below tells of a failure; four cards that fail with it would only repeat it.
  const cards = data ?? !query.error;
  return (
    <>
      <PageHeader title={t('admin.title')} text={t('greeting', { name: me.first_name })} />
      <Stack gap="md">
        {cards && (
          <StatRow>
            <StatCard
              label={t('admin.total_users')}
              icon={<IconUsers size={18} />}
              value={data && number(data.users)}
            />
            <StatCard
              label={t('admin.uptime')}
              icon={<IconHeartbeat size={18} />}
              value={data && percent(data.uptime_percent)}
            />
            <StatCard
              label={t('admin.sessions')}
              icon={<IconPlugConnected size={18} />}
              value={data && number(data.sessions)}
            />
            <StatCard
              label={t('admin.storage')}
              icon={<IconDatabase size={18} />}
              value={data && bytes(data.storage_bytes)}
              hint={quota ? t('admin.of_quota', { quota: bytes(quota) }) : undefined}
            />
          </StatRow>
        )}
        <UsersTable />
      </Stack>
    </>
  );
}
