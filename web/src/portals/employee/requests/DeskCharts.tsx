import { Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { RequestDesk } from '../../../api/types';
import { date, number, percent, shortDate } from '../../../messages/format';
import { states } from '../../../shared/requests/quickRequestKinds';
import { BarChart } from '../../../ui/charts/BarChart';
import { ChartOrTable } from '../../../ui/charts/ChartOrTable';
import { ColumnChart } from '../../../ui/charts/ColumnChart';
import { FigureTable } from '../../../ui/charts/FigureTable';
import classes from './DeskCharts.module.css';

/** Requests by status, and by week of arrival. */
export function DeskCharts({ desk }: { desk: RequestDesk | undefined }) {
  const { t } = useTranslation(['requests', 'names']);
  if (!desk)
    return (
      <div className={classes.charts} aria-hidden="true">
        <Skeleton height={314} radius="md" />
        <Skeleton height={314} radius="md" />
      </div>
    );
  const rows = states.map((status) => ({ status, count: desk[status] }));
  const share = (count: number) => percent(desk.total ? Math.round((1000 * count) / desk.total) / 10 : 0);
  const columns = ['received', 'approved', 'rejected', 'open'] as const;
  return (
    <div className={classes.charts}>
      <ChartOrTable
        title={t('desk.distribution')}
        text={t('desk.distribution_text')}
        chart={
          <BarChart
            rows={rows}
            rowKey={(row) => row.status}
            label={(row) => t(`names:request_status.${row.status}`)}
            value={(row) => row.count}
            text={(row) => number(row.count)}
          />
        }
        table={
          <FigureTable
            label={t('desk.distribution')}
            first={{
              header: t('column.status'),
              cell: (row) => t(`names:request_status.${row.status}`),
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
      <ChartOrTable
        title={t('desk.volume')}
        text={t('desk.volume_text')}
        chart={
          <ColumnChart
            rows={desk.weeks}
            rowKey={(week) => week.begins}
            label={(week) => shortDate(week.begins)}
            longLabels
            scale={number}
            series={[
              {
                name: t('desk.received'),
                value: (week) => week.received,
                text: (week) => number(week.received),
              },
            ]}
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
              cell: (week: RequestDesk['weeks'][number]) => number(week[name]),
              total: number(desk.weeks.reduce((sum, week) => sum + week[name], 0)),
            }))}
          />
        }
      />
    </div>
  );
}
