import { Anchor, Button, Text } from '@mantine/core';
import { IconInbox } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { api, body, versionedBody } from '../../api/client';
import { queries } from '../../api/queries';
import type { Request, RequestKind } from '../../api/types';
import { money } from '../../messages/format';
import { ConfirmDialog } from '../../ui/ConfirmDialog';
import type { GridColumn } from '../../ui/grid/columns';
import { RowGrid } from '../grid/RowGrid';
import { RelativeTime } from '../../ui/DateText';
import { Prose } from '../../ui/Prose';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/EmptyState';
import { StatusBadge } from '../../ui/StatusBadge';
import { toast } from '../../ui/toasts';
import { rowsState } from '../grid/listState';
import { useSave } from '../useSave';

interface Props {
  /** Filter by type. */
  kind?: RequestKind;
  title: string;
  empty: string;
  emptyText?: string;
  /** Path of an order in the portal of the user. */
  orderPath?: (id: string) => string;
  /** Rows of the first page, beside other lists. */
  limit?: number;
}

/** Own requests and their outcome. */
export function OwnRequests({ kind, title, empty, emptyText, orderPath, limit }: Props) {
  const { t } = useTranslation(['requests', 'common', 'names']);
  const state = rowsState(useInfiniteQuery(queries.requests({ kind, limit })));
  const [asking, setAsking] = useState<Request | null>(null);
  const withdraw = useSave({
    save: (request: Request) =>
      body(api.POST('/rest/v1/requests/{id}/withdraw', { params: versionedBody(request), body: {} })),
    invalidates: ['request', 'lead', 'call'],
    onSaved: (request) => {
      setAsking(null);
      toast({ title: t('withdraw.done'), description: request.reference });
    },
  });
  const columns: GridColumn<Request>[] = [
    {
      key: 'request',
      phone: 'title',
      header: t('column.request'),
      cell: (request) => (
        <>
          <Text span fw={500} fz="inherit">
            {t(`names:request_kind.${request.kind}`)}
          </Text>
          <Text size="xs" c="dimmed" className="mono">
            {request.reference}
          </Text>
        </>
      ),
    },
    {
      key: 'what',
      phone: 'text',
      header: t('column.what'),
      cell: (request) => <RequestSummary request={request} />,
    },
    {
      key: 'sent',
      phone: 'end',
      header: t('column.sent'),
      cell: (request) => <RelativeTime at={request.created_at} />,
    },
    {
      key: 'status',
      phone: 'side',
      header: t('common:status'),
      cell: (request) => <StatusBadge kind="request" status={request.status} />,
    },
    {
      key: 'answer',
      phone: 'below',
      header: t('column.answer'),
      cell: (request) => <Answer request={request} orderPath={orderPath} />,
    },
    {
      key: 'actions',
      header: t('common:actions'),
      actions: true,
      cell: (request) =>
        request.can.includes('withdraw') && (
          <Button
            variant="default"
            aria-label={`${t('withdraw')} ${request.reference}`}
            onClick={() => setAsking(request)}
          >
            {t('withdraw')}
          </Button>
        ),
    },
  ];
  const answered = state.rows?.some(({ spv, reason }) => (spv && orderPath) || reason);
  return (
    <Section title={title} flush>
      <RowGrid
        label={title}
        columns={columns}
        state={state}
        hidden={answered ? [] : ['answer']}
        rowKey={(request) => request.id}
        empty={<EmptyState icon={<IconInbox size={20} />} title={empty} text={emptyText} />}
      />
      {asking && (
        <ConfirmDialog
          title={t('withdraw.title', { reference: asking.reference })}
          confirmLabel={t('withdraw')}
          busyLabel={t('common:saving')}
          busy={withdraw.isPending}
          danger
          onConfirm={() => withdraw.mutate(asking)}
          onClose={() => setAsking(null)}
        >
          {t(withdrawText(asking))}
        </ConfirmDialog>
      )}
    </Section>
  );
}

/** Link to the lead or call of the request. */
function withdrawText({ lead_id: lead, call_id: call }: Request) {
  if (lead) return 'withdraw.text_lead';
  return call ? 'withdraw.text_call' : 'withdraw.text';
}

function RequestSummary({ request }: { request: Request }) {
  const { t } = useTranslation('names');
  const { order, message } = request;
  if (!order)
    return (
      <>
        {/* Leads are summarized by their own text. */}
        {request.lead_id && <span>{request.name}</span>}
        <Text size={request.lead_id ? 'xs' : 'sm'} c={request.lead_id ? 'dimmed' : undefined} lineClamp={3}>
          <Prose>{message || (request.lead_id ? null : '—')}</Prose>
        </Text>
      </>
    );
  return (
    <>
      <span>{order.proposed_names[0]}</span>
      <Text size="xs" c="dimmed">
        <span className="num">{money(order.purchase_amount, order.currency)}</span>
        {` · ${t(`country.${order.country}`)}`}
      </Text>
    </>
  );
}

/** The order made of a request, and what the office wrote. */
function Answer({ request, orderPath }: { request: Request; orderPath?: (id: string) => string }) {
  const { t } = useTranslation('requests');
  const { spv, reason, status } = request;
  return (
    <>
      {spv && orderPath && (
        <Text size="xs">
          <Anchor component={Link} to={orderPath(spv.id)} fz="inherit">
            {t('view_order', { identifier: spv.identifier })}
          </Anchor>
        </Text>
      )}
      {reason && (
        <Text size="xs" c="dimmed">
          <Prose>{t(status === 'rejected' ? 'reason' : 'reply', { reason })}</Prose>
        </Text>
      )}
    </>
  );
}
