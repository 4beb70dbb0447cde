import { Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import type { RequestDesk } from '../../../api/types';
import { date, number, percent, shortDate } from '../../../messages/format';
import { states } from '../../../shared/requests/quickRequestKinds';
import { linkTo } from '../../../shared/linkTo';
import type { ToneName } from '../../../theme';
import { ChartGrid, ChartPanel } from '../../../ui/charts/ChartPanel';
import { FigureTable } from '../../../ui/charts/FigureTable';
import { StackedBar } from '../../../ui/charts/StackedBar';
import { TimeChart } from '../../../ui/charts/TimeChart';
import { paths } from '../../../paths';

const TONES: Record<string, ToneName> = {
  pending: 'wait',
  in_review: 'work',
  approved: 'done',
  rejected: 'stop',
};

type Week = RequestDesk['weeks'][number];

/** Requests by status, and by week of arrival. */
export function DeskCharts({ desk }: { desk: RequestDesk | undefined }) {
  const { t } = useTranslation(['requests', 'names']);
  const navigate = useNavigate();
  if (!desk)
    return (
      <ChartGrid>
        <Skeleton height={352} radius="md" aria-hidden="true" />
        <Skeleton height={352} radius="md" aria-hidden="true" />
      </ChartGrid>
    );
  const rows = states.map((status) => ({ status, count: desk[status] }));
  const share = (count: number) => percent(desk.total ? Math.round((1000 * count) / desk.total) / 10 : 0);
  const columns = ['received', 'approved', 'rejected', 'open'] as const;
  const outcomes = ['approved', 'rejected', 'open'] as const;
  return (
    <ChartGrid>
      <ChartPanel
        title={t('desk.distribution')}
        text={t('desk.distribution_text')}
        chart={
          <StackedBar
            parts={rows.map(({ status, count }) => ({
              key: status,
              label: t(`names:request_status.${status}`),
              count,
              text: number(count),
              share: share(count),
              tone: TONES[status] ?? 'rest',
            }))}
            link={({ key, label }) => linkTo(paths.requestsOf({ status: key }))(label)}
            onPick={({ key }) => void navigate(paths.requestsOf({ status: key }))}
          />
        }
        table={
          <FigureTable
            label={t('desk.distribution')}
            first={{
              header: t('column.status'),
              cell: (row) => t(`names:request_status.${row.status}`),
              link: (row, name) => linkTo(paths.requestsOf({ status: row.status }))(name),
              total: t('desk.sum'),
            }}
            rows={rows}
            rowKey={(row) => row.status}
            columns={[
              {
                key: 'count',
                header: t('desk.requests'),
                cell: (row) => number(row.count),
                total: number(desk.total),
              },
              {
                key: 'share',
                header: t('desk.share'),
                cell: (row) => share(row.count),
                total: share(desk.total),
              },
            ]}
          />
        }
      />
      <ChartPanel
        title={t('desk.volume')}
        text={t('desk.volume_text')}
        chart={
          <TimeChart
            rows={desk.weeks}
            rowKey={(week) => week.begins}
            label={(week) => shortDate(week.begins)}
            title={(week) => t('desk.week_of', { date: date(week.begins) })}
            scale={number}
            running={{ name: t('desk.week_so_far'), is: (week) => week === desk.weeks.at(-1) }}
            stacked
            series={outcomes.map((name) => ({
              name: t(`desk.${name}`),
              value: (week: Week) => week[name],
              text: (week: Week) => number(week[name]),
            }))}
          />
        }
        table={
          <FigureTable
            label={t('desk.volume')}
            first={{ header: t('desk.week'), cell: (week) => date(week.begins), total: t('desk.sum') }}
            rows={desk.weeks}
            rowKey={(week) => week.begins}
            columns={columns.map((name) => ({
              key: name,
              header: t(`desk.${name}`),
              cell: (week: Week) => number(week[name]),
              total: number(desk.weeks.reduce((sum, week) => sum + week[name], 0)),
            }))}
          />
        }
      />
    </ChartGrid>
  );
}
