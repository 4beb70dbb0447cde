import { Button } from '@mantine/core';
import { IconCash } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { queries } from '../../../api/queries';
import type { PayoutRun } from '../../../api/types';
import { number } from '../../../messages/format';
import { actorName } from '../../../messages/actorName';
import { paths } from '../../../paths';
import { rowsState } from '../../../shared/grid/listState';
import { RowGrid } from '../../../shared/grid/RowGrid';
import { sumsByCurrency } from '../../../shared/grid/sums';
import { RelativeTime, DateText } from '../../../ui/DateText';
import { PageHeader } from '../../../ui/PageHeader';
import { RowMenu } from '../../../ui/RowMenu';
import { Section } from '../../../ui/Section';
import { EmptyState } from '../../../ui/EmptyState';
import type { GridColumn } from '../../../ui/grid/columns';
import { OpenRunDialog } from './OpenRunDialog';
import { PayoutRunStatus } from './PayoutRunStatus';
import { usePayoutActions } from './payoutActions';

/** Payout runs: create from approved commissions, export for the bank, mark as paid. */
export function Component() {
  const { t } = useTranslation(['commissions', 'common']);
  const [opening, setOpening] = useState(false);
  const columns: GridColumn<PayoutRun>[] = [
    {
      key: 'run',
      header: t('payouts.run'),
      phone: 'title',
      link: (run) => <span className="num">{run.name}</span>,
      cell: () => null,
    },
    {
      key: 'status',
      header: t('common:status'),
      phone: 'end',
      cell: (run) => <PayoutRunStatus run={run} />,
    },
    {
      key: 'transfers',
      header: t('payouts.transfers'),
      align: 'right',
      cell: (run) => <span className="num">{number(run.payouts.length)}</span>,
    },
    {
      key: 'total',
      header: t('payouts.total'),
      align: 'right',
      phone: 'side',
      cell: (run) =>
        sumsByCurrency(run.payouts).map((sum) => (
          <div key={sum} className="num">
            {sum}
          </div>
        )),
    },
    {
      key: 'opened',
      header: t('payouts.created'),
      phone: 'text',
      cell: (run) => (
        <>
          <RelativeTime at={run.created_at} /> · {actorName(t, run.created_by)}
        </>
      ),
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
        actions={<Button onClick={() => setOpening(true)}>{t('payouts.open')}</Button>}
      />
      <Section title={t('payouts.list')} flush>
        <RowGrid<PayoutRun>
          main
          label={t('payouts.list')}
          columns={columns}
          state={rowsState(useInfiniteQuery(queries.payoutRuns()))}
          rowKey={(run) => run.id}
          hrefOf={(run) => paths.employeePayout(run.id)}
          empty={
            <EmptyState
              icon={<IconCash size={20} />}
              title={t('payouts.empty')}
              text={t('payouts.empty_text')}
            />
          }
        />
      </Section>
      {opening && <OpenRunDialog onClose={() => setOpening(false)} />}
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
