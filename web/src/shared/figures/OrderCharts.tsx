import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { Analytics } from '../../api/types';
import { month, number, percent } from '../../messages/format';
import { BarChart } from '../../ui/charts/BarChart';
import { ChartGrid, ChartPanel } from '../../ui/charts/ChartPanel';
import { FigureTable } from '../../ui/charts/FigureTable';
import { StackedBar } from '../../ui/charts/StackedBar';
import { TimeChart } from '../../ui/charts/TimeChart';
import type { ToneName } from '../../theme';
import { monthFilter } from '../grid/daysFilter';
import { linkTo } from '../linkTo';
import { monthsSoFar, useRunningMonth } from './months';
import { type Fees, revenueColumns } from './revenue';
import { useMonthColumn } from './useMonthColumn';

/** Colors along the workflow; every status has its own. */
const SHARE_TONES: Record<string, ToneName> = {
  pending: 'wait',
  active: 'live',
  processing: 'work',
  closed: 'done',
  on_hold: 'rest',
  cancelled: 'stop',
};

type Month = Analytics['months'][number];

/** Analytics shared by company and office; only the office has fees. */
type Figures = Pick<Analytics, 'months' | 'steps' | 'statuses' | 'total' | 'on_time'> & {
  countries: (Analytics['countries'][number] & { revenue?: Fees })[];
  revenue?: Fees;
};

interface Props {
  data: Figures;
  /** Months of the period before. */
  before?: Month[];
  /** The list of orders with these filters. */
  ordersPath: (filters: { status?: string; country?: string; days?: string }) => string;
}

/** Order charts, each with a table. */
export function OrderCharts({ data, before, ordersPath }: Props) {
  const { t } = useTranslation(['reports', 'names']);
  const navigate = useNavigate();
  const byMonth = useMonthColumn();
  const running = useRunningMonth();
  const past = before && { name: t('analytics.before'), rows: before };
  const shown = monthsSoFar(data.months);
  const { months, steps, statuses, countries, total, revenue, on_time: onTime } = data;
  const sum = (name: 'placed' | 'closed' | 'cancelled') =>
    number(months.reduce((all, row) => all + row[name], 0));
  const days = (value: number) => t('analytics.days', { days: number(value) });
  return (
    <ChartGrid>
      <ChartPanel
        wide
        title={t('analytics.over_time')}
        text={t('analytics.over_time_text')}
        chart={
          <TimeChart
            rows={shown}
            rowKey={(row) => row.month}
            label={(row) => month(row.month, 'short')}
            title={(row) => month(row.month)}
            scale={number}
            before={past}
            running={running}
            series={(['placed', 'closed'] as const).map((name) => ({
              name: t(`analytics.${name}`),
              value: (row: Month) => row[name],
              text: (row: Month) => number(row[name]),
            }))}
            onPick={(row) => void navigate(ordersPath(monthFilter(row.month)))}
          />
        }
        table={
          <FigureTable
            file="orders-over-time"
            label={t('analytics.over_time')}
            first={{ ...byMonth, link: (row, name) => linkTo(ordersPath(monthFilter(row.month)))(name) }}
            rows={months}
            rowKey={(row) => row.month}
            columns={(['placed', 'closed', 'cancelled'] as const).map((name) => ({
              key: name,
              header: t(`analytics.${name}`),
              explain: t(`analytics.${name}_text`),
              cell: (row: Month) => number(row[name]),
              plain: (row: Month) => row[name],
              total: sum(name),
            }))}
          />
        }
      />
      <ChartPanel
        title={t('analytics.step_time')}
        text={t('analytics.step_time_text')}
        chart={
          <BarChart
            rows={steps}
            rowKey={(row) => row.name}
            label={(row) => row.name}
            value={(row) => row.median_days}
            text={(row) => `${days(row.median_days)} · ${t('analytics.cases', { count: row.completed })}`}
          />
        }
        table={
          <FigureTable
            file="step-times"
            label={t('analytics.step_time')}
            first={{ header: t('analytics.step'), cell: (row) => row.name }}
            rows={steps}
            rowKey={(row) => row.name}
            columns={[
              {
                key: 'completed',
                header: t('analytics.completed'),
                explain: t('analytics.completed_text'),
                cell: (row) => number(row.completed),
                plain: (row) => row.completed,
              },
              {
                key: 'median',
                header: t('analytics.median'),
                explain: t('analytics.median_text'),
                cell: (row) => days(row.median_days),
                plain: (row) => row.median_days,
              },
              {
                key: 'longest',
                header: t('analytics.longest'),
                explain: t('analytics.longest_text'),
                cell: (row) => days(row.longest_days),
                plain: (row) => row.longest_days,
              },
            ]}
          />
        }
      />
      <ChartPanel
        title={t('analytics.on_time_by_month')}
        text={t('analytics.on_time_text')}
        chart={
          <TimeChart
            rows={shown}
            rowKey={(row) => row.month}
            label={(row) => month(row.month, 'short')}
            title={(row) => month(row.month)}
            scale={percent}
            top={100}
            before={past}
            running={running}
            series={[
              {
                name: t('analytics.on_time'),
                // No due steps means no rate, not 0%.
                value: (row) => row.on_time.percent,
                text: (row) => percent(row.on_time.percent),
              },
            ]}
          />
        }
        table={
          <FigureTable
            file="on-time"
            label={t('analytics.on_time')}
            first={byMonth}
            rows={months}
            rowKey={(row) => row.month}
            columns={[
              {
                key: 'due',
                header: t('analytics.due'),
                explain: t('analytics.due_text'),
                cell: (row) => number(row.on_time.due),
                plain: (row) => row.on_time.due,
                total: number(onTime.due),
              },
              {
                key: 'kept',
                header: t('analytics.kept'),
                explain: t('analytics.kept_text'),
                cell: (row) => number(row.on_time.kept),
                plain: (row) => row.on_time.kept,
                total: number(onTime.kept),
              },
              {
                key: 'share',
                header: t('analytics.share'),
                explain: t('analytics.kept_share_text'),
                cell: (row) => percent(row.on_time.percent),
                plain: (row) => row.on_time.percent,
                total: percent(onTime.percent),
              },
            ]}
          />
        }
      />
      <Shares
        name="by_country"
        first={t('finances.country')}
        file="orders-by-country"
        rows={countries
          .toSorted((a, b) => b.spvs - a.spvs)
          .map((row) => ({
            ...row,
            key: row.country,
            name: t(`names:country.${row.country}`),
            path: ordersPath({ country: row.country }),
          }))}
        total={total}
        revenue={revenue}
      />
      <Shares
        name="funnel"
        first={t('analytics.status')}
        file="orders-by-status"
        rows={statuses.map((row) => ({
          key: row.status,
          name: t(`names:spv_status.${row.status}`),
          spvs: row.spvs,
          path: ordersPath({ status: row.status }),
        }))}
        total={total}
      />
    </ChartGrid>
  );
}

interface Share {
  key: string;
  name: string;
  /** The orders counted. */
  path: string;
  spvs: number;
  revenue?: Fees;
}

interface SharesProps {
  name: 'by_country' | 'funnel';
  /** Name of the rows. */
  first: string;
  file: string;
  rows: Share[];
  total: number;
  /** Fees of all rows, if any. */
  revenue?: Fees;
}

/** Distribution of orders. */
function Shares({ name, first, file, rows, total, revenue = [] }: SharesProps) {
  const { t } = useTranslation('reports');
  const navigate = useNavigate();
  const pathOf = (wanted: string) => rows.find(({ key }) => key === wanted)?.path ?? '';
  const title = t(`analytics.${name}`);
  const share = (row: Share) => percent(Math.round((1000 * row.spvs) / total) / 10);
  return (
    <ChartPanel
      title={title}
      text={t(`analytics.${name}_text`)}
      chart={
        name === 'funnel' ? (
          <StackedBar
            parts={rows.map((row) => ({
              key: row.key,
              label: row.name,
              count: row.spvs,
              text: number(row.spvs),
              share: share(row),
              tone: SHARE_TONES[row.key] ?? 'rest',
            }))}
            link={(part) => linkTo(pathOf(part.key))(part.label)}
            onPick={(part) => void navigate(pathOf(part.key))}
          />
        ) : (
          <BarChart
            rows={rows}
            rowKey={(row) => row.key}
            label={(row) => row.name}
            value={(row) => row.spvs}
            text={(row) => number(row.spvs)}
            link={(row, label) => linkTo(row.path)(label)}
          />
        )
      }
      table={
        <FigureTable
          file={file}
          label={title}
          first={{
            header: first,
            cell: (row) => row.name,
            link: (row, label) => linkTo(row.path)(label),
            total: t('total'),
          }}
          rows={rows}
          rowKey={(row) => row.key}
          columns={[
            {
              key: 'spvs',
              header: t('finances.spvs'),
              explain: t('analytics.spvs_text'),
              cell: (row) => number(row.spvs),
              plain: (row) => row.spvs,
              total: number(total),
            },
            {
              key: 'share',
              header: t('analytics.share'),
              explain: t('analytics.share_text'),
              cell: share,
              total: percent(100),
            },
            ...revenueColumns<Share>(revenue, (row) => row.revenue ?? [], {
              header: (currency) => t('analytics.revenue_in', { currency }),
              explain: t('analytics.revenue_text'),
            }),
          ]}
        />
      }
    />
  );
}
