import { UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconPlayerPause, IconPlayerPlay, IconRotate, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body, versionedBody } from '../../../api/client';
import { queryClient } from '../../../api/cache';
import { queries } from '../../../api/queries';
import type { SpvDetail } from '../../../api/types';
import { ReasonDialog } from '../../../shared/ReasonDialog';
import { useMe } from '../../../shared/session/me';
import { refetchAll } from '../../../shared/StaleProblem';
import { useSave } from '../../../shared/useSave';
import { BusyButton } from '../../../ui/BusyButton';
import { ActionMenu, type RowAction } from '../../../ui/RowMenu';
import { StatusBadge } from '../../../ui/StatusBadge';
import { toast } from '../../../ui/toasts';
import classes from './StatusActions.module.css';

type ReasonAction = 'hold' | 'cancel' | 'reopen';
type ActionInput = { action: 'start' | 'resume' } | { action: ReasonAction; reason: string };

function runAction(spv: SpvDetail, runAction: ActionInput): Promise<SpvDetail> {
  const params = versionedBody(spv);
  switch (runAction.action) {
    case 'start':
      return body(api.POST('/rest/v1/spvs/{id}/start', { params, body: {} }));
    case 'resume':
      return body(api.POST('/rest/v1/spvs/{id}/resume', { params, body: {} }));
    case 'hold':
      return body(api.POST('/rest/v1/spvs/{id}/hold', { params, body: { reason: runAction.reason } }));
    case 'cancel':
      return body(api.POST('/rest/v1/spvs/{id}/cancel', { params, body: { reason: runAction.reason } }));
    case 'reopen':
      return body(api.POST('/rest/v1/spvs/{id}/reopen', { params, body: { reason: runAction.reason } }));
  }
}

/** Status of an order with a menu of the transitions that the server allows, and Start Processing. */
export function StatusActions({ spv }: { spv: SpvDetail }) {
  const { t } = useTranslation(['employee', 'common', 'names']);
  const me = useMe();
  const [asking, setAsking] = useState<ReasonAction | null>(null);
  const save = useSave({
    save: (input: ActionInput) => runAction(spv, input),
    explain: refetchAll(['spvs']),
    invalidates: 'spv',
    onSaved: (changed) => {
      setAsking(null);
      queryClient.setQueryData(queries.spv(spv.id).queryKey, changed);
      const status = t(`names:spv_status.${changed.status}`);
      toast({ title: t('spvs.status_updated'), description: t('spvs.status_changed', { status }) });
    },
  });
  const offers: (RowAction & { needs: string })[] = [
    {
      needs: 'resume',
      label: t('spvs.resume'),
      icon: <IconPlayerPlay size={15} />,
      onClick: () => save.mutate({ action: 'resume' }),
    },
    {
      needs: 'hold',
      label: t('spvs.hold'),
      icon: <IconPlayerPause size={15} />,
      onClick: () => setAsking('hold'),
    },
    {
      needs: 'reopen',
      label: t('spvs.reopen'),
      icon: <IconRotate size={15} />,
      onClick: () => setAsking('reopen'),
    },
    {
      needs: 'cancel',
      label: t('spvs.cancel'),
      icon: <IconX size={15} />,
      danger: true,
      onClick: () => setAsking('cancel'),
    },
  ];
  const badge = <StatusBadge kind="spv" status={spv.status} />;
  return (
    <>
      <ActionMenu actions={offers.filter((offer) => spv.can.includes(offer.needs))} otherwise={badge}>
        <UnstyledButton className={classes.status}>
          <span className="sr-only">{t('spvs.status_of', { name: spv.identifier })} </span>
          {badge}
          <IconChevronDown size={14} aria-hidden="true" />
        </UnstyledButton>
      </ActionMenu>
      {/* Super admins always see it, enabled while the order is pending (specification). */}
      {(me.role === 'super_admin' || spv.can.includes('start')) && (
        <BusyButton
          variant={spv.can.includes('start') ? 'filled' : 'default'}
          busy={save.isPending && asking === null}
          disabled={!spv.can.includes('start')}
          label={t('spvs.start')}
          busyLabel={t('spvs.starting')}
          onClick={() => save.mutate({ action: 'start' })}
        />
      )}
      {asking && (
        <ReasonDialog
          title={t(`spvs.${asking}_title`, { name: spv.identifier })}
          text={t(`spvs.${asking}_text`)}
          confirmLabel={t(`spvs.${asking}`)}
          save={save}
          onConfirm={(reason) => save.mutate({ action: asking, reason })}
          onClose={() => setAsking(null)}
        />
      )}
    </>
  );
}
