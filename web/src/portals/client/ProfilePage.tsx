import { Tabs } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { loadOwnUser } from '../../shared/security/own';
import { SecurityPanel } from '../../shared/security/SecurityPanel';
import { useParam } from '../../shared/queryParams';
import { PageHeader } from '../../ui/PageHeader';
import { BackToDashboard } from './BackToDashboard';
import classes from './ProfilePage.module.css';

export const loader = loadOwnUser;

/** A tab is here once it does something. */
const tabs = { security: SecurityPanel };
type Tab = keyof typeof tabs;
const isTab = (name: string): name is Tab => name in tabs;

export function Component() {
  const { t } = useTranslation('security');
  const [wanted, setWanted] = useParam('tab');
  const tab = isTab(wanted) ? wanted : 'security';
  const Panel = tabs[tab];
  return (
    <>
      <PageHeader title={t('profile.title')} back={<BackToDashboard />} />
      <Tabs value={tab} onChange={(next) => setWanted(next ?? '')}>
        <Tabs.List className={classes.tabs} aria-label={t('profile.tabs')}>
          <Tabs.Tab value="security">{t('profile.security')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value={tab}>
          <Panel />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
