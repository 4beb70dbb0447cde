import { Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { queries } from '../../../api/queries';
import type { SpvDetail } from '../../../api/types';
import { paths } from '../../../paths';
import { Timeline } from '../../../shared/activity/Timeline';
import { OrderDocuments } from '../../../shared/documents/OrderDocuments';
import { useRequests } from '../../../shared/documents/RequestedDocuments';
import { OrderThread } from '../../../shared/messages/OrderThread';
import { OrderInvoices } from '../../../shared/invoices/OrderInvoices';
import { useScrollToHash } from '../../../shared/useScrollToHash';
import { isActive } from '../../../shared/spvs/dueDates';
import { OrderPeople } from '../../../shared/spvs/People';
import { identifierBesideName, orderName, orderNumber } from '../../../shared/spvs/orderName';
import { useSectionsInitialLoad } from '../../../shared/spvs/useInitialLoad';
import { PageHeader } from '../../../ui/PageHeader';
import { RecordError } from '../../../shared/records/RecordError';
import { StatusBadge } from '../../../ui/StatusBadge';
import { TwoColumns } from '../../../ui/TwoColumns';
import { Crumb } from '../../../shared/shell/Crumb';
import { Overview } from './Overview';
import { stepNeeds } from '../needs/clientNeeds';
import { ClientTasks, Progress } from './ClientTasks';
import classes from './OrderPage.module.css';

/** Order page of the client: tasks, progress and related lists. */
export function Component() {
  const { id = '' } = useParams();
  const { t } = useTranslation('client');
  const { data: spv, error, refetch } = useQuery(queries.spv(id));
  const isLoading = useSectionsInitialLoad(id);
  if (error && !spv) {
    const list = { to: paths.clientOrders, name: t('nav.orders') };
    return <RecordError error={error} kind={t('order.one')} list={list} onRetry={() => void refetch()} />;
  }
  return (
    <>
      <PageHeader
        title={spv ? orderName(spv) : t('order.one')}
        text={spv && <Identifiers spv={spv} />}
        trail={<Crumb to={paths.clientOrders}>{t('nav.orders')}</Crumb>}
        status={spv && <StatusBadge kind="spv" status={spv.status} />}
      />
      {(!spv || isLoading) && <Skeleton height={320} radius="md" />}
      {spv && !isLoading && <Order spv={spv} />}
    </>
  );
}

/** The order, scrolled to the section of the address; not after back or forward. */
function Order({ spv }: { spv: SpvDetail }) {
  useScrollToHash();
  const { data: requests } = useRequests(spv);
  // Also if the document requests failed to load.
  const steps = isActive(spv) ? stepNeeds(spv, requests ?? []) : [];
  const listedSteps = new Set(steps.map(({ id }) => id));
  return (
    <Stack gap="md">
      <Overview spv={spv} listedSteps={listedSteps} />
      <ClientTasks spv={spv} steps={steps} />
      <TwoColumns
        // Panels of the order, one line each.
        main={
          <>
            <Progress spv={spv} listedSteps={listedSteps} />
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
  );
}

/** Identifier and number of an order, each only where it differs from what is above it. */
function Identifiers({ spv }: { spv: SpvDetail }) {
  const { t } = useTranslation('client');
  const identifier = identifierBesideName(spv);
  const number = orderNumber(spv);
  return (
    <>
      {identifier && <span className="mono">{identifier}</span>}
      {identifier && number && ' · '}
      {number && t('order.number', { number })}
    </>
  );
}
