import { Tabs } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { BillingPanel } from '../billing/BillingPanel';
import { loadOwnUser } from '../../../shared/security/accountQueries';
import { NotificationPreferencesPanel } from '../../../shared/notifications/NotificationPreferencesPanel';
import { SecurityPanel } from '../../../shared/security/SecurityPanel';
import { useParam } from '../../../shared/queryParams';
import { keepCurrentInView } from '../../../ui/currentInView';
import { PageHeader } from '../../../ui/PageHeader';
import { ActivityPanel } from './ActivityPanel';
import { PersonalPanel } from './PersonalPanel';
import { PreferencesPanel } from '../../../shared/settings/PreferencesPanel';
import classes from './ProfilePage.module.css';

export const loader = loadOwnUser;

/** Profile tabs of the client. */
const tabs = {
  personal: PersonalPanel,
  security: SecurityPanel,
  preferences: PreferencesPanel,
  billing: BillingPanel,
  notifications: NotificationPreferencesPanel,
  activity: ActivityPanel,
};
type Tab = keyof typeof tabs;
const isTab = (name: string): name is Tab => name in tabs;

export function Component() {
  const { t } = useTranslation(['security', 'profile', 'notifications']);
  const [tabParam, setTabParam] = useParam('tab');
  const tab = isTab(tabParam) ? tabParam : 'personal';
  const Panel = tabs[tab];
  return (
    <>
      <PageHeader title={t('profile.title')} />
      <Tabs value={tab} onChange={(next) => setTabParam(next ?? '')}>
        <Tabs.List ref={keepCurrentInView} className={classes.tabs} aria-label={t('profile.tabs')}>
          <Tabs.Tab value="personal">{t('profile:tab.personal')}</Tabs.Tab>
          <Tabs.Tab value="security">{t('profile.security')}</Tabs.Tab>
          <Tabs.Tab value="preferences">{t('profile:tab.preferences')}</Tabs.Tab>
          <Tabs.Tab value="billing">{t('profile:tab.billing')}</Tabs.Tab>
          <Tabs.Tab value="notifications">{t('notifications:title')}</Tabs.Tab>
          <Tabs.Tab value="activity">{t('profile:tab.activity')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value={tab}>
          <Panel />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}
