import { Button } from '@mantine/core';
import { IconCash } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { queries } from '../../../api/queries';
import type { PayoutRun } from '../../../api/types';
import { actorName } from '../../../messages/actorName';
import { paths } from '../../../paths';
import { CommissionTable } from '../../../shared/commissions/CommissionTable';
import { listed } from '../../../shared/records/listed';
import { RecordActivity } from '../../../shared/records/RecordActivity';
import { RecordTabs } from '../../../shared/records/RecordTabs';
import { Crumb } from '../../../shared/shell/Crumb';
import { usePageActions } from '../../../shared/shell/registry';
import { DataTable, type Column } from '../../../ui/DataTable';
import { DateText, RelativeTime } from '../../../ui/DateText';
import { EmptyState } from '../../../ui/EmptyState';
import { Money } from '../../../ui/Money';
import { StatusBadge } from '../../../ui/StatusBadge';
import { CompanyLink, IsoLink } from '../records/links';
import { RecordPage } from '../records/RecordPage';
import { usePayoutActions } from './payoutActions';
import { runTotal } from './runTotal';

type Payout = PayoutRun['payouts'][number];

/** Record of a payout run: its sum, the transfers by partner and the commissions in them. */
export function Component() {
  const { id = '' } = useParams();
  const { t } = useTranslation(['commissions', 'shell']);
  const query = useQuery(queries.payoutRun(id));
  return (
    <RecordPage
      query={query}
      trail={<Crumb to={paths.employeePayouts}>{t('shell:nav.payouts')}</Crumb>}
      kind={t('payouts.run')}
      title={(run) => run.name}
      actions={(run) => <Actions run={run} />}
      facts={(run) => [
        [t('payouts.total'), <strong key="total" className="num">{runTotal(run)}</strong>],
        [t('payouts.created_by'), actorName(t, run.created_by)],
        [t('payouts.created'), <RelativeTime key="created" at={run.created_at} />],
        [t('payouts.paid_on'), run.paid_date && <DateText day={run.paid_date} />],
      ]}
    >
      <RunTabs id={id} run={query.data} />
    </RecordPage>
  );
}

function Actions({ run }: { run: PayoutRun }) {
  const { t } = useTranslation('commissions');
  const { actions, dialogs } = usePayoutActions(run);
  usePageActions(actions.map(({ label, onClick }) => ({ label, run: onClick })));
  return (
    <>
      <StatusBadge kind="payout_run" status={run.status} />
      {actions.toReversed().map(({ needs, label, icon, danger, onClick }) => (
        <Button
          key={needs}
          variant={needs === 'pay' ? 'filled' : 'default'}
          color={danger ? 'red' : undefined}
          leftSection={icon}
          onClick={onClick}
        >
          {needs === 'pay' ? t('payouts.pay_sum', { sum: runTotal(run) }) : label}
        </Button>
      ))}
      {dialogs}
    </>
  );
}

function RunTabs({ id, run }: { id: string; run: PayoutRun | undefined }) {
  const { t } = useTranslation(['commissions', 'shell', 'names']);
  const entries = listed(useInfiniteQuery(queries.commissions({ run_id: id })));
  const columns: Column<Payout>[] = [
    {
      key: 'partner',
      header: t('shell:record.iso'),
      cell: (payout) => <IsoLink id={payout.iso_id} name={payout.iso_name} />,
    },
    {
      key: 'company',
      header: t('names:field.company_id'),
      cell: (payout) => <CompanyLink id={payout.company_id} name={payout.company_name} />,
    },
    {
      key: 'entries',
      header: t('shell:record.entries'),
      align: 'right',
      cell: (payout) => <span className="num">{payout.entries}</span>,
    },
    {
      key: 'amount',
      header: t('column.amount'),
      align: 'right',
      cell: (payout) => <Money amount={payout.amount} currency={payout.currency} />,
    },
  ];
  return (
    <RecordTabs
      tabs={[
        {
          key: 'transfers',
          label: t('payouts.transfers'),
          count: run && String(run.payouts.length),
          content: (
            <DataTable
              label={t('payouts.transfers')}
              columns={columns}
              state={{ rows: run?.payouts, error: null, retry: () => undefined }}
              rowKey={(payout) => `${payout.iso_id}${payout.currency}`}
              empty={<EmptyState icon={<IconCash size={20} />} title={t('payouts.empty')} />}
            />
          ),
        },
        {
          key: 'commissions',
          label: t('shell:record.entries'),
          count: entries.count,
          content: <CommissionTable state={entries.state} withIso />,
        },
        { key: 'activity', label: t('shell:record.activity'), content: <RecordActivity id={id} /> },
      ]}
    />
  );
}
