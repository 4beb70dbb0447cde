import { Anchor, Button } from '@mantine/core';
import { IconShieldSearch, IconTool, IconUserPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { api, body, idempotencyHeaders } from '../../../api/client';
import { paths } from '../../../paths';
import { MaintenanceDialog } from '../../../shared/maintenance/MaintenanceDialog';
import { useMaintenance } from '../../../shared/maintenance/useMaintenance';
import { useSave } from '../../../shared/useSave';
import { BusyButton } from '../../../ui/BusyButton';
import { RelativeTime } from '../../../ui/DateText';
import { Section } from '../../../ui/Section';
import { BackupButton } from '../backups/BackupButton';
import { useBackups } from '../backups/useBackups';
import classes from './overview.module.css';
import { useScan } from './useScan';

/** Quick actions of super admins, with the age of the last backup. */
export function QuickActions() {
  const { t } = useTranslation('admin');
  const { running } = useScan();
  const { maintenance } = useMaintenance();
  const [maintaining, setMaintaining] = useState(false);
  const scan = useSave({
    save: (_: void, key) => body(api.POST('/rest/v1/scans', { params: idempotencyHeaders(key) })),
    invalidates: 'scan',
    onSaved: () => {
      document.getElementById('scan')?.scrollIntoView({ block: 'nearest' });
    },
  });
  return (
    <Section title={t('actions.title')}>
      <div className={classes.actions}>
        <Button
          component={Link}
          to={paths.adminNewUser()}
          variant="default"
          justify="flex-start"
          leftSection={<IconUserPlus size={16} aria-hidden="true" />}
        >
          {t('actions.create_user')}
        </Button>
        <Button
          variant="default"
          justify="flex-start"
          leftSection={<IconTool size={16} aria-hidden="true" />}
          onClick={() => setMaintaining(true)}
        >
          {t('actions.maintenance')}
        </Button>
        <BackupButton justify="flex-start" />
        <BusyButton
          variant="default"
          justify="flex-start"
          leftSection={<IconShieldSearch size={16} aria-hidden="true" />}
          busy={scan.isPending || running}
          label={t('actions.scan')}
          busyLabel={t('actions.scanning')}
          onClick={() => scan.mutate()}
        />
        <LastBackup />
      </div>
      {maintaining && (
        <MaintenanceDialog message={maintenance?.message} onClose={() => setMaintaining(false)} />
      )}
    </Section>
  );
}

/** Time of the last restorable backup. */
function LastBackup() {
  const { t } = useTranslation('admin');
  const { backups, lastGood } = useBackups();
  if (!backups) return null;
  return (
    <div className={classes.more}>
      {lastGood?.made_at ? (
        <>
          {t('backups.last')} <RelativeTime at={lastGood.made_at} />
        </>
      ) : (
        t('backups.none')
      )}
      {' · '}
      <Anchor component={Link} to={paths.adminBackups} fz="inherit" underline="always">
        {t('backups.all')}
      </Anchor>
    </div>
  );
}
