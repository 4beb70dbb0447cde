import { Stack } from '@mantine/core';
import { IconDatabase, IconHeartbeat, IconPlugConnected, IconUsers } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import { bytes, number, percent } from '../../messages/format';
import { useMe } from '../../shared/session/me';
import { paths } from '../../paths';
import { linkTo } from '../../shared/linkTo';
import { PageHeader } from '../../ui/PageHeader';
import { StatCard, StatRow } from '../../ui/StatCard';
import { ErrorState } from '../../ui/ErrorState';
import { TwoColumns } from '../../ui/TwoColumns';
import { Alerts } from './overview/Alerts';
import { LatestActivity } from './overview/LatestActivity';
import { QuickActions } from './overview/QuickActions';
import { SecurityScan } from './overview/SecurityScan';
import { ServerStatus } from './overview/ServerStatus';

/** Admin dashboard: server status and actions. */
export function Component() {
  const { t } = useTranslation(['admin', 'dashboards']);
  const me = useMe();
  const { data, error, refetch } = useQuery({ ...queries.adminDashboard(), refetchInterval: 60_000 });
  const quota = data?.storage_quota_bytes;
  return (
    <>
      <PageHeader
        title={t('dashboards:admin.title')}
        text={t('dashboards:greeting', { name: me.first_name })}
      />
      <Stack gap="md">
        {error && !data ? (
          <ErrorState message={errorText(error)} onRetry={() => void refetch()} />
        ) : (
          <StatRow>
            <StatCard
              label={t('dashboards:admin.total_users')}
              explain={t('overview.users_text')}
              icon={<IconUsers size={18} />}
              value={data && number(data.users)}
              link={linkTo(paths.adminUsers)}
            />
            <StatCard
              label={t('dashboards:admin.uptime')}
              explain={t('overview.uptime_text')}
              icon={<IconHeartbeat size={18} />}
              value={data && percent(data.uptime_percent)}
            />
            <StatCard
              label={t('dashboards:admin.sessions')}
              explain={t('overview.sessions_text')}
              icon={<IconPlugConnected size={18} />}
              value={data && number(data.sessions)}
            />
            <StatCard
              label={t('dashboards:admin.storage')}
              icon={<IconDatabase size={18} />}
              value={data && bytes(data.storage_bytes)}
              link={linkTo(`${paths.adminSettings}#storage`)}
              hint={quota ? t('dashboards:admin.of_quota', { quota: bytes(quota) }) : null}
            />
          </StatRow>
        )}
        <TwoColumns
          main={
            <>
              <Alerts />
              <LatestActivity />
            </>
          }
          side={
            <>
              <QuickActions />
              <ServerStatus />
            </>
          }
        />
        <SecurityScan />
      </Stack>
    </>
  );
}
