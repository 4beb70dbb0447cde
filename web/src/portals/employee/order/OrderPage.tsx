import { Skeleton, Stack, Tabs, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { queries } from '../../../api/queries';
import type { SpvDetail } from '../../../api/types';
import { number } from '../../../messages/format';
import { paths } from '../../../paths';
import { Timeline } from '../../../shared/activity/Timeline';
import { OrderDocuments } from '../../../shared/documents/OrderDocuments';
import { OrderThread } from '../../../shared/messages/OrderThread';
import { OrderInvoices } from '../../../shared/invoices/OrderInvoices';
import { Crumb } from '../../../shared/shell/Crumb';
import { useParam } from '../../../shared/queryParams';
import { BlockedBy } from '../../../shared/spvs/BlockedBy';
import { useRequestsInitialLoad } from '../../../shared/spvs/useInitialLoad';
import { RecordError } from '../../../shared/records/RecordError';
import { keepCurrentInView } from '../../../ui/currentInView';
import { Prose } from '../../../ui/Prose';
import { NewInvoiceButton } from './NewInvoiceButton';
import { OrderHeader } from './OrderHeader';
import { OrderSteps } from './OrderSteps';
import { Properties } from './Properties';
import { useOrder } from './useOrder';
import { useStepActions } from './useStepActions';
import classes from './OrderPage.module.css';

const TABS = ['steps', 'documents', 'messages', 'invoices', 'activity'] as const;

/** Order page of staff. */
export function Component() {
  const { id = '' } = useParams();
  const { t } = useTranslation('employee');
  const { data: spv, error, refetch } = useOrder(id);
  if (error && !spv) {
    const list = { to: paths.employeeSpvs, name: t('tab.spvs') };
    return <RecordError error={error} kind={t('tasks.order')} list={list} onRetry={() => void refetch()} />;
  }
  if (!spv) return <OrderSkeleton />;
  return <Order spv={spv} />;
}

function Order({ spv }: { spv: SpvDetail }) {
  const { t } = useTranslation(['employee', 'common', 'documents', 'messages', 'billing', 'orders']);
  const [param, setTab] = useParam('tab');
  const actions = useStepActions(spv);
  const counts = useCounts(spv);
  const isLoading = useRequestsInitialLoad(spv.id);
  const tab = TABS.find((name) => name === param) ?? 'steps';
  const labels = {
    steps: t('spvs.steps'),
    documents: t('documents:title'),
    messages: t('messages:title'),
    invoices: t('billing:list'),
    activity: t('orders:activity'),
  };
  const panels: Record<(typeof TABS)[number], ReactNode> = {
    steps: isLoading ? (
      <Skeleton height={460} radius="md" />
    ) : (
      <>
        <BlockedBy spv={spv} reader="staff" />
        <div className={classes.card}>
          <OrderSteps spv={spv} />
        </div>
      </>
    ),
    documents: <OrderDocuments spv={spv} />,
    messages: <OrderThread spvId={spv.id} notes />,
    invoices: <OrderInvoices spv={spv} actions={<NewInvoiceButton spv={spv} />} />,
    activity: <Timeline spvId={spv.id} />,
  };
  return (
    <>
      <OrderHeader
        spv={spv}
        actions={actions}
        trail={<Crumb to={paths.employeeSpvs}>{t('tab.spvs')}</Crumb>}
      />
      {spv.status_reason && (
        <Text size="sm" mb="sm">
          <Prose>{t('spvs.reason', { reason: spv.status_reason })}</Prose>
        </Text>
      )}
      <Tabs
        value={tab}
        onChange={(next) => setTab(next && next !== 'steps' ? next : '')}
        keepMounted={false}
        classNames={{ list: classes.tabs, tab: classes.tab }}
      >
        <Tabs.List ref={keepCurrentInView} aria-label={t('orders:sections')}>
          {TABS.map((name) => (
            <Tabs.Tab key={name} value={name} rightSection={<Count value={counts[name]} />}>
              {labels[name]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <div className={classes.columns}>
          <div className={classes.main} data-tab={tab}>
            {TABS.map((name) => (
              <Tabs.Panel key={name} value={name}>
                <Stack gap="md">{panels[name]}</Stack>
              </Tabs.Panel>
            ))}
          </div>
          {isLoading ? <Skeleton height={280} radius="md" /> : <Properties spv={spv} />}
        </div>
      </Tabs>
      {actions.dialog}
    </>
  );
}

interface Known {
  count: number;
  more?: boolean;
}

/** Rows of each tab, as far as they are known: a long list says that there are more. */
function useCounts(spv: SpvDetail): Partial<Record<(typeof TABS)[number], Known>> {
  const documents = useInfiniteQuery(queries.documents({ spv_id: spv.id }));
  const threads = useInfiniteQuery(queries.threads({ spv_id: spv.id }));
  const invoices = useInfiniteQuery(queries.invoices({ spv_id: spv.id }));
  const requests = useQuery(queries.documentRequests(spv.id));
  const toReview = requests.data?.filter(({ status }) => status === 'submitted').length ?? 0;
  return {
    documents: { count: Math.max(documents.data?.length ?? 0, toReview), more: documents.hasNextPage },
    messages: { count: threads.data?.[0]?.unread ?? 0 },
    invoices: { count: invoices.data?.length ?? 0, more: invoices.hasNextPage },
  };
}

function Count({ value }: { value?: Known }) {
  if (!value?.count) return null;
  return <span className={classes.count}>{number(value.count) + (value.more ? '+' : '')}</span>;
}

/** In the shape of the page. */
function OrderSkeleton() {
  return (
    <div className={classes.skeleton} aria-busy="true">
      <Skeleton height={24} width="min(320px, 60%)" my={14} />
      <Skeleton height={14} width="min(460px, 90%)" mb={22} />
      <Skeleton height={14} width="min(380px, 70%)" mb={26} />
      <div className={classes.columns}>
        <Skeleton height={460} radius="md" />
        <Skeleton height={280} radius="md" />
      </div>
    </div>
  );
}
