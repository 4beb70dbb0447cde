import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { queries } from '../../api/queries';
import { compact, dateRange, money, month, todayInOfficeZone } from '../../messages/format';
import { paths } from '../../paths';
import {
  earnedBetween,
  earningsByMonth,
  type MonthEarned,
  monthsLater,
} from '../../shared/commissions/earnings';
import { previousRange } from '../../shared/figures/previousRange';
import { daysOfMonth, useRunningMonth } from '../../shared/figures/months';
import { useMonthColumn } from '../../shared/figures/useMonthColumn';
import { linkTo } from '../../shared/linkTo';
import { ChartPanel } from '../../ui/charts/ChartPanel';
import { FigureTable } from '../../ui/charts/FigureTable';
import { TimeChart } from '../../ui/charts/TimeChart';

const MONTHS = 12;

/**
 * Commissions earned in each of the last twelve months, in the currency that has most of them, and what was earned in
 * the month before up to the same day.
 */
export function useEarnings() {
  const today = todayInOfficeZone();
  const from = monthsLater(today, 1 - MONTHS);
  const { data } = useQuery(queries.commissionStatement({ from, to: today }));
  const currency = data?.sums.toSorted((a, b) => Number(b.total) - Number(a.total))[0]?.currency ?? 'USD';
  const before = previousRange({ from: monthsLater(today, 0), to: today }, today);
  return {
    currency,
    months: data && earningsByMonth(data.items, currency, from, MONTHS),
    before: data && earnedBetween(data.items, currency, before?.from ?? '', before?.to ?? ''),
    than: dateRange(before?.from, before?.to),
  };
}

function statementOf({ month }: MonthEarned): string {
  return paths.isoStatementOf(daysOfMonth(month));
}

/** Earnings over time; a month leads to its statement. */
export function EarnedChart({ months, currency }: { months?: MonthEarned[]; currency: string }) {
  const { t } = useTranslation(['partners', 'commissions']);
  const navigate = useNavigate();
  const byMonth = useMonthColumn();
  const running = useRunningMonth();
  if (!months) return <Skeleton height={330} radius="md" aria-hidden="true" />;
  if (months.every(({ amount }) => amount === 0)) return null;
  const title = t('dashboard.earned', { currency });
  const say = (row: MonthEarned) => money(row.amount.toFixed(2), currency);
  return (
    <ChartPanel
      title={title}
      text={t('dashboard.earned_text')}
      chart={
        <TimeChart
          rows={months}
          rowKey={(row) => row.month}
          label={(row) => month(row.month, 'short')}
          title={(row) => month(row.month)}
          scale={compact}
          running={running}
          series={[{ name: title, value: (row) => row.amount, text: say }]}
          onPick={(row) => void navigate(statementOf(row))}
        />
      }
      table={
        <FigureTable
          file="earnings"
          label={title}
          first={{ ...byMonth, link: (row, name) => linkTo(statementOf(row))(name) }}
          rows={months}
          rowKey={(row) => row.month}
          columns={[
            {
              key: 'earned',
              header: t('commissions:column.amount'),
              cell: say,
              plain: (row) => row.amount,
              total: money(months.reduce((sum, { amount }) => sum + amount, 0).toFixed(2), currency),
            },
          ]}
        />
      }
    />
  );
}
