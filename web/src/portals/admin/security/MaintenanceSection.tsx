import { Button } from '@mantine/core';
import { IconBarrierBlock } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../../api/errors';
import { dateTime } from '../../../messages/format';
import { MaintenanceDialog } from '../../../shared/maintenance/MaintenanceDialog';
import { useMaintenance } from '../../../shared/maintenance/useMaintenance';
import { SettingsRow, SettingsSection, SettingsState } from '../../../ui/Settings';
import { Tag } from '../../../ui/Tag';

/** Maintenance mode: a banner on every page, and read-only for all but super admins. */
export function MaintenanceSection() {
  const { t } = useTranslation(['users', 'common']);
  const [open, setOpen] = useState(false);
  const { settings, error, refetch, maintenance, end } = useMaintenance();
  return (
    <SettingsSection title={t('maintenance.title')} text={t('maintenance.text')}>
      <SettingsState data={settings} error={error && errorText(error)} retry={() => void refetch()}>
        {() => (
          <SettingsRow
            icon={<IconBarrierBlock size={17} />}
            title={maintenance ? t('maintenance.is_on') : t('maintenance.is_off')}
            tag={maintenance && <Tag tone="wait">{t('maintenance.on')}</Tag>}
            text={
              maintenance &&
              [
                maintenance.message ?? t('common:maintenance.text'),
                t('maintenance.since', { at: dateTime(maintenance.since) }),
              ].join(' · ')
            }
            actions={
              maintenance ? (
                <>
                  <Button variant="default" onClick={() => setOpen(true)}>
                    {t('maintenance.change')}
                  </Button>
                  <Button disabled={end.isPending} onClick={() => end.mutate(undefined)}>
                    {t('maintenance.end')}
                  </Button>
                </>
              ) : (
                <Button variant="default" onClick={() => setOpen(true)}>
                  {t('maintenance.begin')}
                </Button>
              )
            }
          />
        )}
      </SettingsState>
      {open && <MaintenanceDialog message={maintenance?.message} onClose={() => setOpen(false)} />}
    </SettingsSection>
  );
}
