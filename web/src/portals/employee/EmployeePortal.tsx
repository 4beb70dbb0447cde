import { useTranslation } from 'react-i18next';
import { useLoaderData } from 'react-router-dom';
import type { Me } from '../../api/types';
import { paths } from '../../paths';
import { PortalLayout } from '../../shared/PortalLayout';
import { SeedOutcome } from './SeedOutcome';
import { useStaffCommands } from './shell/useStaffCommands';
import { useStaffNavigation } from './shell/useStaffNavigation';
import { StaffSearch } from './shell/StaffSearch';

export function Component() {
  const { t } = useTranslation(['common', 'shell', 'security']);
  const me = useLoaderData<Me>();
  return (
    <>
      <PortalLayout
        portal={t('portal.employee')}
        home={paths.employeeDashboard}
        groups={useStaffNavigation(me)}
        create={useStaffCommands(me)}
        SearchSource={StaffSearch}
        searchLabel={t('shell:search.label_staff')}
        security={{ path: paths.employeeSecurity, label: t('security:menu') }}
        choices={paths.employeeNotifications}
        preferences={paths.employeePreferences}
      />
      <SeedOutcome user={me.id} />
    </>
  );
}
