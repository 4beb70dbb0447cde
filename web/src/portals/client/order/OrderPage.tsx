import { Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import { date } from '../../../messages/format';
import { paths } from '../../../paths';
import { Timeline } from '../../../shared/activity/Timeline';
import { OrderDocuments } from '../../../shared/documents/OrderDocuments';
import { OrderThread } from '../../../shared/messages/OrderThread';
import { OrderInvoices } from '../../../shared/invoices/OrderInvoices';
import { OrderPeople } from '../../../shared/spvs/People';
import { orderName } from '../../../shared/spvs/orderName';
import { useWaitsForDocuments } from '../../../shared/spvs/useWaitsForDocuments';
import { PageHeader } from '../../../ui/PageHeader';
import { ErrorState } from '../../../ui/ErrorState';
import { StatusBadge } from '../../../ui/StatusBadge';
import { TwoColumns } from '../../../ui/TwoColumns';
import { Crumb } from '../../../shared/shell/Crumb';
import { Overview } from './Overview';
import { ClientTasks, Progress } from './ClientTasks';
import classes from './OrderPage.module.css';

/** Order page of the client: tasks, progress and related lists. */
export function Component() {
  const { id = '' } = useParams();
  const { t } = useTranslation('client');
  const { data: spv, error, refetch } = useQuery(queries.spv(id));
  const waits = useWaitsForDocuments(id);
  if (error && !spv) return <ErrorState message={errorText(error)} onRetry={() => void refetch()} />;
  return (
    <>
      <PageHeader
        title={spv ? orderName(spv) : t('order.loading')}
        text={
          spv && (
            <>
              {spv.vehicle_name && <span className="mono">{spv.identifier} · </span>}
              {spv.identifier.endsWith(spv.order_number)
                ? t('order.ordered', { date: date(spv.ordered_date) })
                : t('order.number', { number: spv.order_number })}
            </>
          )
        }
        trail={<Crumb to={paths.clientOrders}>{t('nav.orders')}</Crumb>}
        actions={spv && <StatusBadge kind="spv" status={spv.status} />}
      />
      {(!spv || waits) && <Skeleton height={320} radius="md" />}
      {spv && !waits && (
        <Stack gap="md">
          <Overview spv={spv} />
          <div id="tasks" className={classes.place}>
            <ClientTasks spv={spv} />
          </div>
          <TwoColumns
            // Panels of the order, one line each.
            main={
              <>
                <Progress spv={spv} />
                <OrderDocuments spv={spv} />
                <div id="messages" className={classes.place}>
                  <OrderThread spvId={spv.id} />
                </div>
              </>
            }
            side={
              <>
                <OrderPeople spv={spv} />
                <OrderInvoices spv={spv} />
                <Timeline spvId={spv.id} />
              </>
            }
          />
        </Stack>
      )}
    </>
  );
}
