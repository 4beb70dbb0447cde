import { Button, Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { Spv, SpvDetail } from '../../api/types';
import { date } from '../../messages/format';
import { paths } from '../../paths';
import { phaseText } from '../../shared/spvs/details';
import { isActive } from '../../shared/spvs/dueDates';
import { identifierBesideName, orderName, orderNumber } from '../../shared/spvs/orderName';
import { StepTimeline } from '../../shared/spvs/StepTimeline';
import { StatusBadge } from '../../ui/StatusBadge';
import { StepProgress, type SegmentState } from '../../ui/StepProgress';
import classes from './OrderCard.module.css';

interface Props {
  spv: Spv;
  /** The order with its steps, once loaded. */
  detail: SpvDetail | undefined;
}

export function OrderCard({ spv, detail }: Props) {
  const { t } = useTranslation(['client', 'common', 'names']);
  const name = orderName(spv);
  return (
    <article className={classes.card} aria-label={name}>
      <div className={classes.head}>
        <div>
          <h3 className={classes.name}>{name}</h3>
          <p className={classes.facts}>
            {identifierBesideName(spv) && `${spv.identifier} · `}
            {orderNumber(spv) && `${t('order.number', { number: spv.order_number })} · `}
            {t('order.ordered', { date: date(spv.ordered_date) })}
          </p>
        </div>
        <StatusBadge kind="spv" status={spv.status} />
      </div>
      <div className={classes.progress}>
        <StepProgress
          steps={detail?.steps.map((step) => step.status) ?? segments(spv)}
          percent={spv.progress.percent}
          label={t('order.progress_of', { name })}
        />
        <span className={classes.facts}>{t('common:steps_done', { ...spv.progress })}</span>
      </div>
      {detail && isActive(spv) && detail.steps.length > 0 && (
        <StepTimeline spv={detail} compact label={t('order.steps_of', { name })} />
      )}
      <div className={classes.foot}>
        <span className={classes.phase}>{phaseText(t, spv)}</span>
        <span className={classes.buttons}>
          {spv.can.includes('upload') && (
            <Button
              component={Link}
              to={paths.clientOrderDocuments(spv.id)}
              variant="default"
              aria-label={t('order.upload_of', { name })}
            >
              {t('order.upload')}
            </Button>
          )}
          <Button
            component={Link}
            to={paths.clientOrder(spv.id)}
            variant="default"
            aria-label={t('order.view_of', { name })}
          >
            {t('order.view')}
          </Button>
        </span>
      </div>
    </article>
  );
}

/** Progress before the steps are known. */
function segments({ progress }: Spv): SegmentState[] {
  return Array.from({ length: progress.total }, (_, place) =>
    place < progress.completed ? 'completed' : 'pending',
  );
}

/** Skeleton with the height of a card. */
export function OrderCardSkeleton() {
  return (
    <div className={classes.card} aria-busy="true">
      <div className={classes.head}>
        <div className={classes.waiting}>
          <Skeleton height={14} width="50%" mt={4} />
          <Skeleton height={12} width="80%" mt={7} mb={3} />
        </div>
        <Skeleton height={20} width={72} />
      </div>
      <Skeleton height={6} my={6} />
      <Skeleton height={246} />
      <div className={classes.foot}>
        <Skeleton height={13} width="min(290px, 100%)" my={3} />
        <Skeleton className={classes.waitingButton} />
      </div>
    </div>
  );
}
