import { Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../../api/errors';
import type { Spv } from '../../../api/types';
import { StepTimeline } from '../../../shared/spvs/StepTimeline';
import { DateText } from '../../../ui/DateText';
import { DetailList } from '../../../ui/DetailList';
import { ErrorState } from '../../../ui/ErrorState';
import { Money } from '../../../ui/Money';
import { StatusBadge } from '../../../ui/StatusBadge';
import { useOrder } from '../order/useOrder';
import classes from './SpvPeek.module.css';

/** Facts and steps of an order beside the list. */
export function SpvPeek({ spv }: { spv: Spv }) {
  const { t } = useTranslation(['employee', 'common', 'names', 'dashboards']);
  const { data, error, refetch } = useOrder(spv.id);
  return (
    <>
      <DetailList
        details={[
          [t('common:status'), <StatusBadge key="status" kind="spv" status={spv.status} />],
          [t('dashboards:client'), spv.client_name],
          [t('column.company'), spv.company_name],
          [t('column.iso'), spv.iso_name],
          [t('names:field.country'), t(`names:country.${spv.country}`)],
          [t('names:field.ordered_date'), <DateText key="ordered" day={spv.ordered_date} />],
          [
            t('dashboards:amount'),
            spv.amount && <Money key="amount" amount={spv.amount} currency={spv.currency} />,
          ],
        ]}
      />
      <div className={classes.steps}>
        {error && !data && <ErrorState message={errorText(error)} onRetry={() => void refetch()} />}
        {!data && !error && <Skeleton height={240} />}
        {data && <StepTimeline spv={data} compact reader="company" label={t('spvs.steps')} />}
      </div>
    </>
  );
}
