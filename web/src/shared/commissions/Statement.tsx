import { Button, Group, Skeleton } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import { date, dateRange, money, todayInOfficeZone } from '../../messages/format';
import { InfoTooltip } from '../../ui/InfoTooltip';
import { PageHeader } from '../../ui/PageHeader';
import { ErrorState } from '../../ui/ErrorState';
import { RangeField } from '../../ui/RangeField';
import { ExportButton } from '../ExportButton';
import { type NamedRange, namedRange, namedRanges } from '../figures/namedRange';
import { useParam, useSetParams } from '../queryParams';
import { Rule } from './Rule';
import { commissionsCsv } from './exports';
import classes from './Statement.module.css';

/** Commission statement of a date range: screen, CSV and print. */
export function Statement({ trail, isoId }: { trail: ReactNode; isoId?: string }) {
  const { t } = useTranslation(['commissions', 'names', 'common']);
  const [from] = useParam('from');
  const [to] = useParam('to');
  const set = useSetParams();
  const today = todayInOfficeZone();
  const query = { iso_id: isoId, from: from || undefined, to: to || undefined };
  const { data, error, refetch } = useQuery(queries.commissionStatement(query));
  const shown = { from: from || (data?.from ?? ''), to: to || (data?.to ?? '') };
  return (
    <>
      <div className={classes.screen}>
        <PageHeader
          title={t('statement.title')}
          text={t('statement.text')}
          trail={trail}
          actions={
            <>
              {data && (
                <ExportButton
                  name={`commissions-${data.from}-${data.to}`}
                  load={() => commissionsCsv({ iso_id: isoId, from: data.from, to: data.to })}
                />
              )}
              <Button
                variant="default"
                leftSection={<IconPrinter size={16} aria-hidden="true" />}
                onClick={() => globalThis.print()}
              >
                {t('statement.print')}
              </Button>
            </>
          }
        />
        <Group gap="sm" mb="md">
          <RangeField
            label={t('statement.range')}
            periods={namedRanges.map((value) => ({ value, label: t(`names:report_period.${value}`) }))}
            period={namedRanges.find((name) => {
              const range = namedRange(name, today);
              return range.from === shown.from && range.to === shown.to;
            })}
            from={shown.from}
            to={shown.to}
            onPeriod={(name) => set(namedRange(name as NamedRange, today))}
            onRange={(first, last) => set({ from: first, to: last })}
          />
        </Group>
      </div>
      {!data && !error && <Skeleton height={360} radius="md" aria-hidden="true" />}
      {error ? (
        <ErrorState message={errorText(error)} onRetry={() => void refetch()} />
      ) : (
        data && (
          <article className={classes.paper} aria-label={t('statement.title')}>
            <header className={classes.head}>
              <div>
                <h2 className={classes.kind}>{t('statement.title')}</h2>
                <p className={classes.dim}>{dateRange(data.from, data.to)}</p>
              </div>
              {data.iso_name && (
                <div className={classes.who}>
                  <p className={classes.name}>{data.iso_name}</p>
                  <p className={classes.dim}>{data.company_name}</p>
                </div>
              )}
            </header>
            {data.items.length === 0 ? (
              <p className={classes.dim}>{t('statement.nothing')}</p>
            ) : (
              // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a narrow window scrolls it sideways
              <div className={classes.scroll} role="group" aria-label={t('ledger')} tabIndex={0}>
                {/* Explicit roles, because `display: block` on a phone removes the implicit ones. */}
                <table className={classes.lines} role="table">
                  <thead role="rowgroup">
                    <tr role="row">
                      <th role="columnheader" scope="col">
                        {t('column.earned')}
                      </th>
                      <th role="columnheader" scope="col">
                        {t('column.order')}
                      </th>
                      {/* Without the tooltip, which screen readers would repeat in every cell. */}
                      <th role="columnheader" scope="col" aria-label={t('column.rule')}>
                        {t('column.rule')}
                        <span className={classes.screen}>
                          <InfoTooltip about={t('column.rule')} text={t('column.rule_text')} />
                        </span>
                      </th>
                      <th role="columnheader" scope="col">
                        {t('common:status')}
                      </th>
                      <th
                        role="columnheader"
                        scope="col"
                        className={classes.amount}
                        aria-label={t('column.amount')}
                      >
                        {t('column.amount')}
                        <span className={classes.screen}>
                          <InfoTooltip about={t('column.amount')} text={t('column.amount_text')} />
                        </span>
                      </th>
                    </tr>
                  </thead>
                  <tbody role="rowgroup">
                    {data.items.map((row) => (
                      <tr key={row.id} role="row" data-void={row.status === 'void' || undefined}>
                        <td role="cell" className={`num ${classes.day}`}>
                          {date(row.earned_date)}
                        </td>
                        <td role="cell" className={classes.order}>
                          <span className="mono">{row.spv_identifier}</span>
                          <span className={classes.dim}> {row.client.name}</span>
                        </td>
                        <td role="cell" className={classes.rule}>
                          <Rule row={row} />
                        </td>
                        <td role="cell" className={classes.status}>
                          {t(`names:commission_status.${row.status}`)}
                          {row.run && <span className={classes.dim}> {row.run}</span>}
                        </td>
                        <td role="cell" className={classes.amount}>
                          {money(row.amount, row.currency)}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )}
            {data.sums.map((sum) => (
              <dl key={sum.currency} className={classes.sums} aria-label={sum.currency}>
                {(['paid', 'approved', 'pending', 'total'] as const).map((name) => (
                  <div key={name} data-total={name === 'total' || undefined}>
                    <dt>
                      {t(`statement.${name}`)}
                      <span className={classes.screen}>
                        <InfoTooltip about={t(`statement.${name}`)} text={t(`statement.${name}_text`)} />
                      </span>
                    </dt>
                    <dd className="num">{money(sum[name], sum.currency)}</dd>
                  </div>
                ))}
              </dl>
            ))}
          </article>
        )
      )}
    </>
  );
}
