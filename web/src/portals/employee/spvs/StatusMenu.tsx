import { UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconPlayerPause, IconPlayerPlay, IconRotate, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { SpvDetail } from '../../../api/types';
import { ReasonDialog } from '../../../shared/ReasonDialog';
import { ActionMenu, type RefusedAction, type RowAction } from '../../../ui/RowMenu';
import { StatusBadge } from '../../../ui/StatusBadge';
import classes from './StatusMenu.module.css';
import type { StatusChange } from './useStatusChange';

interface Props {
  spv: SpvDetail;
  change: StatusChange;
  /** Actions that stand beside the menu already. */
  beside?: string[];
  refused?: RefusedAction[];
}

/** Status of an order with a menu of the transitions that the server allows. */
export function StatusMenu({ spv, change, beside = [], refused }: Props) {
  const { t } = useTranslation('employee');
  const { save, asking, setAsking } = change;
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
  const possible = offers.filter(({ needs }) => spv.can.includes(needs) && !beside.includes(needs));
  const badge = <StatusBadge kind="spv" status={spv.status} />;
  return (
    <>
      <ActionMenu actions={possible} refused={refused} otherwise={badge}>
        <UnstyledButton className={classes.status}>
          <span className="sr-only">{t('spvs.status_of', { name: spv.identifier })} </span>
          {badge}
          <IconChevronDown size={14} aria-hidden="true" />
        </UnstyledButton>
      </ActionMenu>
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
