import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import { paths } from '../../../paths';
import { Timeline } from '../../../shared/activity/Timeline';
import { OrderDocuments } from '../../../shared/documents/OrderDocuments';
import { OrderThread } from '../../../shared/messages/OrderThread';
import { OrderInvoices } from '../../../shared/invoices/OrderInvoices';
import { OrderPeople } from '../../../shared/spvs/People';
import { useWaitsForDocuments } from '../../../shared/spvs/useWaitsForDocuments';
import { Crumb } from '../../../shared/shell/Crumb';
import { PageHeader } from '../../../ui/PageHeader';
import { Section } from '../../../ui/Section';
import { ErrorState } from '../../../ui/ErrorState';
import { StatusBadge } from '../../../ui/StatusBadge';
import { TwoColumns } from '../../../ui/TwoColumns';
import { StatusActions } from '../spvs/StatusActions';
import { OrderSteps } from './OrderSteps';
import { Overview } from './Overview';

/** Order page of staff. */
export function Component() {
  const { id = '' } = useParams();
  const { t } = useTranslation(['employee', 'client', 'orders']);
  const { data: spv, error, refetch } = useQuery(queries.spv(id));
  const waits = useWaitsForDocuments(id);
  if (error && !spv) return <ErrorState message={errorText(error)} onRetry={() => void refetch()} />;
  return (
    <>
      <PageHeader
        title={spv?.identifier ?? t('client:order.loading')}
        text={spv && t('client:order.number', { number: spv.order_number })}
        trail={<Crumb to={paths.employeeSpvs}>{t('tab.spvs')}</Crumb>}
        actions={
          spv && (
            <>
              <StatusBadge kind="spv" status={spv.status} />
              <StatusActions spv={spv} />
            </>
          )
        }
      />
      {(!spv || waits) && <Skeleton height={320} radius="md" />}
      {spv && !waits && (
        <TwoColumns
          // Panels of the order, one line each.
          main={
            <>
              <Section title={t('client:order.overview')}>
                <Overview spv={spv} />
              </Section>
              <Section title={t('spvs.steps')} flush>
                <OrderSteps spv={spv} />
              </Section>
              <OrderDocuments spv={spv} />
              <OrderThread spvId={spv.id} notes />
              <OrderInvoices spv={spv} />
            </>
          }
          side={
            <>
              <OrderPeople spv={spv} withClient />
              <Timeline spvId={spv.id} />
            </>
          }
        />
      )}
    </>
  );
}
