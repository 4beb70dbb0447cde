import { Button, Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { SpvDetail } from '../../../api/types';
import { useMe } from '../../../shared/session/me';
import { BusyButton } from '../../../ui/BusyButton';
import { StatusMenu } from './StatusMenu';
import { useStatusChange } from './useStatusChange';

/** Status menu and Start Processing of the order that is selected in the list. */
export function StatusActions({ spv }: { spv: SpvDetail }) {
  const { t } = useTranslation('employee');
  const me = useMe();
  const change = useStatusChange(spv);
  const canStart = spv.can.includes('start');
  return (
    <>
      <StatusMenu spv={spv} change={change} />
      {canStart && (
        <BusyButton
          busy={change.save.isPending && change.asking === null}
          label={t('spvs.start')}
          busyLabel={t('spvs.starting')}
          onClick={() => change.save.mutate({ action: 'start' })}
        />
      )}
      {/* Super admins always see it, enabled while the order is pending (specification). */}
      {!canStart && me.role === 'super_admin' && (
        <Tooltip label={t('spvs.start_refused')} openDelay={300}>
          {/* Not `disabled`, which would hide the reason from the keyboard. */}
          <Button variant="default" aria-disabled data-disabled>
            {t('spvs.start')}
          </Button>
        </Tooltip>
      )}
    </>
  );
}
