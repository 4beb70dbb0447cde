import { Skeleton } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../../api/errors';
import type { ReportPage } from '../../../api/types';
import { money, number } from '../../../messages/format';
import { InfoTooltip } from '../../../ui/InfoTooltip';
import { ErrorState } from '../../../ui/ErrorState';
import { useDateRangeText } from '../../../shared/figures/dateRange';
import { cellText, isNumber } from './report';
import classes from './report.module.css';

/** Printable report: company, date range, rows and totals. */
export function PrintableReport({ query }: { query: UseInfiniteQueryResult<InfiniteData<ReportPage>> }) {
  const { t } = useTranslation(['reports', 'names']);
  const rangeText = useDateRangeText();
  const { data, error, refetch } = query;
  const first = data?.pages[0];
  if (error && !data) return <ErrorState message={errorText(error)} onRetry={() => void refetch()} />;
  if (!first) return <Skeleton height={360} radius="md" aria-hidden="true" />;
  const rows = data.pages.flatMap((page) => page.items);
  // The first page has the totals.
  const total = first.total ?? 0;
  const { columns } = first;
  const title = t(`names:report.${first.report}`);
  const inCurrency = columns.findIndex(({ name }) => name === 'currency');
  const shown = columns.map((column, n) => ({ column, n })).filter(({ n }) => n !== inCurrency);
  return (
    <article className={classes.paper} aria-label={title}>
      <header className={classes.head}>
        <div>
          <h2 className={classes.title}>
            {title}
            <span className={classes.screen}>
              <InfoTooltip about={title} text={t(`report.${first.report}_text`)} />
            </span>
          </h2>
          <p className={classes.dim}>{rangeText(first)}</p>
        </div>
        <div className={classes.who}>
          <p className={classes.name}>{first.company.name}</p>
          <p className={classes.dim}>
            {t('rows', { count: total, n: number(total) })}
            <span className={classes.screen}>
              <InfoTooltip about={t('rows_label')} text={t('rows_text')} />
            </span>
          </p>
        </div>
      </header>
      {rows.length === 0 ? (
        <p className={classes.dim}>{t('nothing')}</p>
      ) : (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls sideways on a phone
        <div className="side-scroll" role="group" aria-label={title} tabIndex={0}>
          <table className={classes.lines} aria-label={title}>
            <thead>
              <tr>
                {shown.map(({ column }) => {
                  const name = t(`names:report_column.${column.name}`);
                  return isNumber(column) ? (
                    <th key={column.name} scope="col" aria-label={name} data-number>
                      {name}
                      <span className={classes.screen}>
                        <InfoTooltip about={name} text={t(`explained.${first.report}.${column.name}`)} />
                      </span>
                    </th>
                  ) : (
                    <th key={column.name} scope="col">
                      {name}
                    </th>
                  );
                })}
              </tr>
            </thead>
            <tbody>
              {rows.map((cells, line) => (
                // oxlint-disable-next-line react/no-array-index-key -- rows have no id and never move
                <tr key={line}>
                  {shown.map(({ column, n }) => (
                    <td
                      key={column.name}
                      data-number={isNumber(column) || undefined}
                      data-text={(column.kind === 'text' && column.name !== 'identifier') || undefined}
                    >
                      {cellText(t, column, cells[n] ?? '', cells[inCurrency] ?? '')}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {first.sums?.map((sum) => (
        <dl key={sum.currency} className={classes.sums} aria-label={sum.currency}>
          {sum.amounts.map(({ column, amount }) => (
            <div key={column}>
              <dt>
                {t('sum_of', { column: t(`names:report_column.${column}`), currency: sum.currency })}
                <span className={classes.screen}>
                  <InfoTooltip
                    about={t('sum_of', {
                      column: t(`names:report_column.${column}`),
                      currency: sum.currency,
                    })}
                    text={t('sum_of_text', { currency: sum.currency })}
                  />
                </span>
              </dt>
              <dd className="num">{money(amount, sum.currency)}</dd>
            </div>
          ))}
        </dl>
      ))}
    </article>
  );
}
