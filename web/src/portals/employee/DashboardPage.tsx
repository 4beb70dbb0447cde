import { Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import type { EmployeeTab } from '../../paths';
import { RecentActivity } from '../../shared/activity/RecentActivity';
import { useMe } from '../../shared/session/me';
import { PageHeader } from '../../ui/PageHeader';
import { TwoColumns } from '../../ui/TwoColumns';
import { ErrorState } from '../../ui/ErrorState';
import { ClientsTab } from './clients/ClientsTab';
import { NewestClients } from './clients/NewestClients';
import { CompaniesTab } from './companies/CompaniesTab';
import classes from './DashboardPage.module.css';
import { IsosTab } from './isos/IsosTab';
import { PerformanceCard } from './PerformanceCard';
import { SeedButton } from './SeedButton';
import { SpvsTab } from './spvs/SpvsTab';
import { Stats } from './Stats';
import { MyTasks } from './tasks/MyTasks';

/** About as high as the tasks beside it. */
const NEWEST_ACTIVITY = 6;

const tabs: Record<EmployeeTab, (props: { preview: boolean }) => React.ReactNode> = {
  clients: ClientsTab,
  companies: CompaniesTab,
  isos: IsosTab,
  spvs: SpvsTab,
};

function isTab(value: string): value is EmployeeTab {
  return value in tabs;
}

export function Component() {
  const { t } = useTranslation('employee');
  const me = useMe();
  const { data: settings } = useQuery(queries.settings());
  const { data, error, refetch } = useQuery(queries.employeeDashboard());
  const [params, setParams] = useSearchParams();
  const param = params.get('tab') ?? '';
  const tab = isTab(param) ? param : 'clients';
  // Search and selection belong to the previous tab.
  const setTab = (next: string | null) => setParams(next ? { tab: next } : {}, { preventScrollReset: true });
  const Panel = tabs[tab];
  return (
    <>
      <PageHeader
        title={t('title')}
        text={t('greeting', { name: me.first_name })}
        actions={settings?.demo && me.can.includes('seed') && <SeedButton />}
      />
      <Stack gap="md">
        {error && !data ? (
          <ErrorState message={errorText(error)} onRetry={() => void refetch()} />
        ) : (
          <Stats dashboard={data} />
        )}
        <TwoColumns
          main={
            <>
              <MyTasks />
              <NewestClients />
            </>
          }
          side={
            <>
              <PerformanceCard />
              {(data || !error) && <RecentActivity activity={data?.activity} max={NEWEST_ACTIVITY} />}
            </>
          }
        />
        <Tabs value={tab} onChange={setTab} keepMounted={false} className={classes.tabs}>
          <Tabs.List className={classes.list}>
            {Object.keys(tabs).map((name) => (
              <Tabs.Tab key={name} value={name}>
                {t(`tab.${name}`)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value={tab}>
            <Panel preview />
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </>
  );
}
