import { Button, Text } from '@mantine/core';
import { IconCash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { lists } from '../../../api/lists';
import { queries } from '../../../api/queries';
import type { PayoutRun } from '../../../api/types';
import { actorName } from '../../../messages/actorName';
import { number } from '../../../messages/format';
import { paths } from '../../../paths';
import { useWaiting } from '../../../shared/approvals/waiting';
import { WaitingNote } from '../../../shared/approvals/WaitingNote';
import { RowGrid } from '../../../shared/grid/RowGrid';
import { withSums } from '../../../shared/grid/sums';
import { CompanyLink } from '../../../shared/records/links';
import { RecordActivity } from '../../../shared/records/RecordActivity';
import { RecordCommissions } from '../../../shared/records/RecordCommissions';
import { countText, RecordTabs, useRowCount } from '../../../shared/records/RecordTabs';
import { usePageActions } from '../../../shared/shell/registry';
import { DateText, RelativeTime } from '../../../ui/DateText';
import { EmptyState } from '../../../ui/EmptyState';
import { Money } from '../../../ui/Money';
import { RowMenu } from '../../../ui/RowMenu';
import { StatusBadge } from '../../../ui/StatusBadge';
import type { GridColumn } from '../../../ui/grid/columns';
import { RecordPage } from '../../../shared/records/RecordPage';
import { PayoutRunStatus } from './PayoutRunStatus';
import { runTotal, usePayoutActions } from './payoutActions';

type Payout = PayoutRun['payouts'][number];

/** Record of a payout run: its sum, the transfers by partner and the commissions in them. */
export function Component() {
  const { id = '' } = useParams();
  const { t } = useTranslation(['commissions', 'shell']);
  const query = useQuery(queries.payoutRun(id));
  const waiting = useWaiting('pay_run', id);
  return (
    <RecordPage
      query={query}
      list={{ to: paths.employeePayouts, name: t('shell:nav.payouts') }}
      kind={t('payouts.run')}
      title={(run) => run.name}
      status={(run) =>
        // The note below says it where the approval is visible.
        waiting ? <StatusBadge kind="payout_run" status={run.status} /> : <PayoutRunStatus run={run} />
      }
      actions={(run) => <Actions run={run} />}
      facts={(run) => [
        [
          t('payouts.total'),
          <Text key="total" component="strong" fz={18} fw={600} className="num">
            {runTotal(run)}
          </Text>,
        ],
        [t('payouts.created_by'), actorName(t, run.created_by)],
        [t('payouts.created'), <RelativeTime key="created" at={run.created_at} />],
        [t('payouts.paid_on'), run.paid_date && <DateText key="paid" day={run.paid_date} />],
      ]}
    >
      <WaitingNote act="pay_run" target={id} reason={t('payouts.waits')} />
      <RunTabs id={id} run={query.data} />
    </RecordPage>
  );
}

function Actions({ run }: { run: PayoutRun }) {
  const { t } = useTranslation('commissions');
  const { actions, dialogs } = usePayoutActions(run);
  usePageActions(actions.map(({ label, onClick }) => ({ label, run: onClick })));
  const [bank, pay] = ['bank', 'pay'].map((wanted) => actions.find(({ needs }) => needs === wanted));
  return (
    <>
      {bank && (
        <Button variant="default" leftSection={bank.icon} onClick={bank.onClick}>
          {bank.label}
        </Button>
      )}
      {pay && <Button onClick={pay.onClick}>{t('payouts.pay_sum', { sum: runTotal(run) })}</Button>}
      <RowMenu name={run.name} actions={actions.filter((action) => action !== bank && action !== pay)} />
      {dialogs}
    </>
  );
}

function RunTabs({ id, run }: { id: string; run: PayoutRun | undefined }) {
  const { t } = useTranslation(['commissions', 'shell']);
  const entries = useRowCount(lists.commissions({ run_id: id }));
  return (
    <RecordTabs
      label={t('payouts.run')}
      tabs={[
        {
          key: 'transfers',
          label: t('payouts.transfers'),
          count: countText(run?.payouts.length),
          content: <Transfers payouts={run?.payouts} />,
        },
        {
          key: 'commissions',
          label: t('shell:record.entries'),
          count: entries,
          content: <RecordCommissions of={{ run_id: id }} withIso />,
        },
        { key: 'activity', label: t('shell:record.activity'), content: <RecordActivity id={id} /> },
      ]}
    />
  );
}

/** One transfer per partner and currency, with their sum. */
function Transfers({ payouts }: { payouts: Payout[] | undefined }) {
  const { t } = useTranslation(['commissions', 'shell', 'names']);
  const columns: GridColumn<Payout>[] = [
    {
      key: 'partner',
      header: t('shell:record.iso'),
      phone: 'title',
      link: (payout) => payout.iso_name,
      cell: () => null,
    },
    {
      key: 'company',
      header: t('names:field.company_id'),
      phone: 'text',
      cell: (payout) => <CompanyLink id={payout.company_id} name={payout.company_name} />,
    },
    {
      key: 'entries',
      header: t('shell:record.entries'),
      align: 'right',
      cell: (payout) => <span className="num">{number(payout.entries)}</span>,
    },
    {
      key: 'amount',
      header: t('column.amount'),
      align: 'right',
      phone: 'side',
      cell: (payout) => <Money amount={payout.amount} currency={payout.currency} />,
    },
  ];
  return (
    <RowGrid
      main
      label={t('payouts.transfers')}
      columns={withSums(columns, 'amount', payouts)}
      state={{ rows: payouts, error: null, retry: () => undefined }}
      rowKey={(payout) => `${payout.iso_id}${payout.currency}`}
      hrefOf={(payout) => paths.employeeIso(payout.iso_id)}
      empty={<EmptyState icon={<IconCash size={20} />} title={t('payouts.empty')} />}
    />
  );
}
