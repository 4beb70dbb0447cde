import { Button, Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { Spv } from '../../api/types';
import { date } from '../../messages/format';
import { paths } from '../../paths';
import { phaseText } from '../../shared/spvs/details';
import { ProgressBar } from '../../ui/ProgressBar';
import { StatusBadge } from '../../ui/StatusBadge';
import classes from './OrderCard.module.css';

export function OrderCard({ spv }: { spv: Spv }) {
  const { t } = useTranslation(['client', 'names']);
  return (
    <article className={classes.card} aria-label={spv.identifier}>
      <div className={classes.head}>
        <div>
          <h3 className={classes.name}>{spv.identifier}</h3>
          <p className={classes.facts}>
            {t('order.number', { number: spv.order_number })} ·{' '}
            {t('order.ordered', { date: date(spv.ordered_date) })}
          </p>
        </div>
        <StatusBadge kind="spv" status={spv.status} />
      </div>
      <ProgressBar percent={spv.progress.percent} label={t('order.progress_of', { name: spv.identifier })} />
      <div className={classes.foot}>
        <span className={classes.phase}>{phaseText(t, spv)}</span>
        <span className={classes.buttons}>
          {spv.can.includes('upload') && (
            <Button
              component={Link}
              to={paths.clientOrderDocuments(spv.id)}
              variant="default"
              aria-label={t('order.upload_of', { name: spv.identifier })}
            >
              {t('order.upload')}
            </Button>
          )}
          <Button
            component={Link}
            to={paths.clientOrder(spv.id)}
            variant="default"
            aria-label={t('order.view_of', { name: spv.identifier })}
          >
            {t('order.view')}
          </Button>
        </span>
      </div>
    </article>
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
      <div className={classes.foot}>
        <Skeleton height={13} width="min(290px, 100%)" my={3} />
        <Skeleton className={classes.waitingButton} />
      </div>
    </div>
  );
}
