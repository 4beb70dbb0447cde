import { Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import { DateText } from '../../ui/DateText';
import { RecordError, type ParentList } from '../records/RecordError';
import { Crumb } from '../shell/Crumb';
import { Facts, FactsSkeleton } from '../../ui/Facts';
import { Money } from '../../ui/Money';
import { PageHeader } from '../../ui/PageHeader';
import { ProgressBar } from '../../ui/ProgressBar';
import { Section } from '../../ui/Section';
import { StatusBadge } from '../../ui/StatusBadge';
import { TwoColumns } from '../../ui/TwoColumns';
import { Timeline } from '../activity/Timeline';
import { OrderPeople } from './People';
import { identifierBesideName, orderName } from './orderName';
import { StepTimeline } from './StepTimeline';

interface Props {
  id: string;
  list: ParentList;
  reader: 'iso' | 'company';
  /** Link to the client in the portal. */
  client?: (id: string, name: string) => ReactNode;
}

/** Order as a company or an ISO partner sees it: facts, progress, steps and events. */
export function PartnerOrder({ id, list, reader, client }: Props) {
  const { t } = useTranslation(['client', 'common', 'names', 'shell']);
  const { data: spv, error, refetch } = useQuery(queries.spv(id));
  if (error && !spv)
    return <RecordError error={error} kind={t('order.one')} list={list} onRetry={() => void refetch()} />;
  return (
    <>
      <PageHeader
        title={spv ? orderName(spv) : t('order.one')}
        text={spv && identifierBesideName(spv) && <span className="mono">{spv.identifier}</span>}
        trail={<Crumb to={list.to}>{list.name}</Crumb>}
        status={spv && <StatusBadge kind="spv" status={spv.status} />}
      />
      {!spv && (
        <>
          <FactsSkeleton />
          <Skeleton height={320} radius="md" />
        </>
      )}
      {spv && (
        <>
          <Facts
            facts={[
              [t('names:field.client_id'), client ? client(spv.client_id, spv.client_name) : spv.client_name],
              [t('order.country'), t(`names:country.${spv.country}`)],
              [t('order.ordered_label'), <DateText key="ordered" day={spv.ordered_date} />],
              [
                t('order.amount'),
                spv.amount && <Money key="amount" amount={spv.amount} currency={spv.currency} />,
              ],
              [
                t('names:field.commission'),
                spv.iso_commission && (
                  <Money key="commission" amount={spv.iso_commission} currency={spv.currency} />
                ),
              ],
              [
                t('orders.progress'),
                <ProgressBar
                  key="progress"
                  percent={spv.progress.percent}
                  label={t('order.progress_of', { name: orderName(spv) })}
                />,
              ],
            ]}
          />
          <TwoColumns
            main={
              <Section title={t('shell:record.steps')}>
                <StepTimeline spv={spv} label={t('shell:record.steps')} reader={reader} />
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
