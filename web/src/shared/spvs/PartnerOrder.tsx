import { Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import type { Step } from '../../api/types';
import { DateText } from '../../ui/DateText';
import { ErrorState } from '../../ui/ErrorState';
import { Facts } from '../../ui/Facts';
import { Money } from '../../ui/Money';
import { PageHeader } from '../../ui/PageHeader';
import { ProgressBar } from '../../ui/ProgressBar';
import { Section } from '../../ui/Section';
import { StatusBadge } from '../../ui/StatusBadge';
import { TwoColumns } from '../../ui/TwoColumns';
import { Timeline } from '../activity/Timeline';
import { OrderPeople } from './People';
import { StepList } from './StepList';

interface Props {
  id: string;
  trail: ReactNode;
  /** Own steps are "yours". */
  reader?: Step['owner'];
  /** Link to the client in the portal. */
  client?: (id: string, name: string) => ReactNode;
}

/** Order as a company or an ISO partner sees it: facts, progress, steps and events. */
export function PartnerOrder({ id, trail, reader, client }: Props) {
  const { t } = useTranslation(['client', 'common', 'names', 'shell']);
  const { data: spv, error, refetch } = useQuery(queries.spv(id));
  if (error && !spv)
    return (
      <>
        <PageHeader title={t('order.loading')} trail={trail} />
        <ErrorState message={errorText(error)} onRetry={() => void refetch()} />
      </>
    );
  return (
    <>
      <PageHeader
        title={spv ? (spv.vehicle_name ?? spv.identifier) : t('order.loading')}
        text={spv?.vehicle_name && <span className="mono">{spv.identifier}</span>}
        trail={trail}
        actions={spv && <StatusBadge kind="spv" status={spv.status} />}
      />
      {!spv && <Skeleton height={320} radius="md" />}
      {spv && (
        <>
          <Facts
            facts={[
              [t('names:field.client_id'), client ? client(spv.client_id, spv.client_name) : spv.client_name],
              [t('order.country'), t(`names:country.${spv.country}`)],
              [t('order.ordered_label'), <DateText key="ordered" day={spv.ordered_date} />],
              [t('order.amount'), spv.amount && <Money amount={spv.amount} currency={spv.currency} />],
              [
                t('names:field.commission'),
                spv.iso_commission && <Money amount={spv.iso_commission} currency={spv.currency} />,
              ],
              [
                t('orders.progress'),
                <ProgressBar
                  key="progress"
                  percent={spv.progress.percent}
                  label={t('order.progress_of', { name: spv.identifier })}
                />,
              ],
            ]}
          />
          <TwoColumns
            main={
              <Section title={t('shell:record.steps')} flush>
                <StepList spv={spv} label={t('shell:record.steps')} reader={reader} />
              </Section>
            }
            side={
              <Stack gap="md">
                <OrderPeople spv={spv} />
                <Timeline spvId={spv.id} />
              </Stack>
            }
          />
        </>
      )}
    </>
  );
}
