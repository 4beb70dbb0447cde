import { Anchor, Button, Text } from '@mantine/core';
import { IconFolderPlus } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { queryClient } from '../../../api/cache';
import { api, body, edited } from '../../../api/client';
import { queries } from '../../../api/queries';
import type { Request } from '../../../api/types';
import { money } from '../../../messages/format';
import { paths } from '../../../paths';
import { listState } from '../../../shared/listState';
import { useSave } from '../../../shared/useSave';
import { ConfirmDialog } from '../../../ui/ConfirmDialog';
import { DataTable, type Column } from '../../../ui/DataTable';
import { Ago } from '../../../ui/DateText';
import { Section } from '../../../ui/Section';
import { EmptyState } from '../../../ui/states';
import { StatusBadge } from '../../../ui/StatusBadge';
import { toast } from '../../../ui/toasts';

/** The orders that the client has asked for, and what became of each. */
export function OwnRequests() {
  const { t } = useTranslation(['requests', 'common', 'names']);
  const state = listState(useInfiniteQuery(queries.requests({ kind: 'order', limit: 10 })));
  const [asking, setAsking] = useState<Request | null>(null);
  const withdraw = useSave({
    save: (request: Request) =>
      body(api.POST('/rest/v1/requests/{id}/withdraw', { params: edited(request), body: {} })),
    saved: (request) => {
      setAsking(null);
      void queryClient.invalidateQueries({ queryKey: ['requests'] });
      toast({ title: t('withdraw.done'), description: request.reference });
    },
  });
  const columns: Column<Request>[] = [
    {
      key: 'request',
      header: t('column.request'),
      cell: (request) => (
        <>
          {request.order?.proposed_names[0]}
          <Text size="xs" c="dimmed">
            <span className="mono">{request.reference}</span>
            {request.order && ` · ${t(`names:country.${request.order.country}`)}`}
          </Text>
        </>
      ),
    },
    {
      key: 'amount',
      header: t('column.amount'),
      align: 'right',
      cell: ({ order }) => (
        <span className="num">{order && money(order.purchase_amount, order.currency)}</span>
      ),
    },
    { key: 'sent', header: t('column.sent'), cell: (request) => <Ago at={request.created_at} /> },
    {
      key: 'status',
      wide: true,
      header: t('common:status'),
      cell: (request) => <Outcome request={request} />,
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
  return (
    <Section title={t('own.title')} flush>
      <DataTable
        label={t('own.title')}
        columns={columns}
        state={state}
        rowKey={(request) => request.id}
        empty={<EmptyState icon={<IconFolderPlus size={20} />} title={t('own.empty')} />}
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
          {t('withdraw.text')}
        </ConfirmDialog>
      )}
    </Section>
  );
}

function Outcome({ request }: { request: Request }) {
  const { t } = useTranslation('requests');
  return (
    <>
      <StatusBadge kind="request" status={request.status} />
      {request.spv && (
        <Text size="xs" mt={2}>
          <Anchor component={Link} to={paths.clientOrder(request.spv.id)} fz="inherit">
            {t('view_order', { identifier: request.spv.identifier })}
          </Anchor>
        </Text>
      )}
      {request.reason && (
        <Text size="xs" c="dimmed" mt={2}>
          {t('reason', { reason: request.reason })}
        </Text>
      )}
    </>
  );
}
