import { IconHourglass, IconUserExclamation } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import type { SpvDetail, Step } from '../../api/types';
import { useMe } from '../session/me';
import { DueTag } from './DueTag';
import { isActive, waitingFor } from './dueDates';
import classes from './BlockedBy.module.css';
import { Prose } from '../../ui/Prose';

interface Props {
  spv: SpvDetail;
  reader?: Step['owner'];
  /** Steps listed as tasks of the reader, as are all document requests: the page does not repeat them here. */
  listedSteps?: ReadonlySet<string>;
}

/** Who blocks the order, and why. Nothing if the order is not blocked. */
export function BlockedBy({ spv, reader, listedSteps }: Props) {
  const { t } = useTranslation(['orders', 'names']);
  const me = useMe();
  const workedOn = isActive(spv);
  const requests = useQuery({ ...queries.documentRequests(spv.id), enabled: workedOn });
  // Hidden until document requests are known, which may change it; on error the steps show it.
  const waiting = workedOn && !requests.isPending ? waitingFor(spv.steps, requests.data ?? []) : undefined;
  if (!waiting) return null;
  const { stepId, name: what, day, on, reason, assignee } = waiting;
  // Work of the team waits for its assignee; without one, for the team.
  const yours = on === reader && (on !== 'staff' || assignee?.id === me.id);
  if (yours && listedSteps && (stepId === null || listedSteps.has(stepId))) return null;
  const Icon = yours ? IconUserExclamation : IconHourglass;
  const who = (on === 'staff' && assignee?.name) || t(`names:waiting_on.${on}`);
  const name = { step: what, who };
  return (
    <div className={classes.line} data-yours={yours}>
      <Icon size={18} stroke={1.75} aria-hidden="true" />
      <div className={classes.words}>
        <div className={classes.what}>
          {yours ? t('waiting_on_you', name) : t('waiting_on', name)}
          <DueTag day={day} />
        </div>
        {reason && (
          <div className={classes.why}>
            <Prose>{reason}</Prose>
          </div>
        )}
      </div>
    </div>
  );
}
