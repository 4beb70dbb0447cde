import { Button, Group, Skeleton, TextInput } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import { date, money } from '../../messages/format';
import { InfoTooltip } from '../../ui/InfoTooltip';
import { PageHeader } from '../../ui/PageHeader';
import { ErrorState } from '../../ui/ErrorState';
import { ExportButton } from '../ExportButton';
import { useParam } from '../queryParams';
import { Rule } from './CommissionTable';
import { commissionsCsv } from './exports';
import classes from './Statement.module.css';

/** Commission statement of a date range: screen, CSV and print. */
export function Statement({ trail, isoId }: { trail: ReactNode; isoId?: string }) {
  const { t } = useTranslation(['commissions', 'names', 'common']);
  const [from, setFrom] = useParam('from');
  const [to, setTo] = useParam('to');
  const query = { iso_id: isoId, from: from || undefined, to: to || undefined };
  const { data, error, refetch } = useQuery(queries.commissionStatement(query));
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
          <TextInput
            size="sm"
            type="date"
            label={t('names:field.from')}
            value={from || (data?.from ?? '')}
            onChange={(event) => setFrom(event.currentTarget.value)}
          />
          <TextInput
            size="sm"
            type="date"
            label={t('names:field.to')}
            value={to || (data?.to ?? '')}
            onChange={(event) => setTo(event.currentTarget.value)}
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
                <p className={classes.dim}>
                  {date(data.from)} – {date(data.to)}
                </p>
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
                          <InfoTooltip text={t('column.rule_text')} />
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
                          <InfoTooltip text={t('column.amount_text')} />
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
                        <InfoTooltip text={t(`statement.${name}_text`)} />
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
