import { Anchor, Text } from '@mantine/core';
import { IconCash } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { api, body, idempotencyHeaders } from '../../../api/client';
import { queries } from '../../../api/queries';
import type { PayoutRun } from '../../../api/types';
import { money } from '../../../messages/format';
import { actorName } from '../../../messages/actorName';
import { paths } from '../../../paths';
import { tableState } from '../../../shared/tableState';
import { useSave } from '../../../shared/useSave';
import { BusyButton } from '../../../ui/BusyButton';
import { DataTable, type Column } from '../../../ui/DataTable';
import { RelativeTime, DateText } from '../../../ui/DateText';
import { PageHeader } from '../../../ui/PageHeader';
import { RowMenu } from '../../../ui/RowMenu';
import { Section } from '../../../ui/Section';
import { EmptyState } from '../../../ui/EmptyState';
import { StatusBadge } from '../../../ui/StatusBadge';
import { toast } from '../../../ui/toasts';
import { usePayoutActions } from './payoutActions';
import { runTotal } from './runTotal';

/** Payout runs: create from approved commissions, export for the bank, mark as paid. */
export function Component() {
  const { t } = useTranslation(['commissions', 'common']);
  const open = useSave({
    save: (_: null, key) =>
      body(api.POST('/rest/v1/payout-runs', { params: idempotencyHeaders(key), body: {} })),
    invalidates: 'payout_run',
    onSaved: (run) => {
      toast({ title: t('payouts.opened'), description: run.name });
    },
  });
  const columns: Column<PayoutRun>[] = [
    {
      key: 'run',
      header: t('payouts.run'),
      cell: (run) => (
        <>
          <Anchor component={Link} to={paths.employeePayout(run.id)} fz="inherit" className="num">
            {run.name}
          </Anchor>
          <Text size="xs" c="dimmed">
            {actorName(t, run.created_by)} · <RelativeTime at={run.created_at} />
          </Text>
        </>
      ),
    },
    {
      key: 'transfers',
      header: t('payouts.transfers'),
      cell: (run) =>
        run.payouts.map((payout) => (
          <div key={`${payout.iso_id}${payout.currency}`}>
            {payout.iso_name}{' '}
            <Text span size="sm" c="dimmed" className="num">
              {money(payout.amount, payout.currency)} · {t('payouts.entries', { count: payout.entries })}
            </Text>
          </div>
        )),
    },
    {
      key: 'status',
      header: t('common:status'),
      cell: (run) => <StatusBadge kind="payout_run" status={run.status} />,
    },
    {
      key: 'total',
      header: t('payouts.total'),
      align: 'right',
      cell: (run) => <span className="num">{runTotal(run)}</span>,
    },
    { key: 'paid', header: t('payouts.paid_on'), cell: (run) => <DateText day={run.paid_date} /> },
    {
      key: 'actions',
      header: t('common:actions'),
      actions: true,
      cell: (run) => <Actions run={run} />,
    },
  ];
  return (
    <>
      <PageHeader
        title={t('payouts.title')}
        text={t('payouts.text')}
        actions={
          <BusyButton
            busy={open.isPending}
            label={t('payouts.open')}
            busyLabel={t('common:saving')}
            onClick={() => open.mutate(null)}
          />
        }
      />
      <Section title={t('payouts.list')} flush>
        <DataTable
          label={t('payouts.list')}
          columns={columns}
          state={tableState(useInfiniteQuery(queries.payoutRuns()))}
          rowKey={(run) => run.id}
          empty={
            <EmptyState
              icon={<IconCash size={20} />}
              title={t('payouts.empty')}
              text={t('payouts.empty_text')}
            />
          }
        />
      </Section>
    </>
  );
}

function Actions({ run }: { run: PayoutRun }) {
  const { actions, dialogs } = usePayoutActions(run);
  return (
    <>
      <RowMenu name={run.name} actions={actions} />
      {dialogs}
    </>
  );
}
