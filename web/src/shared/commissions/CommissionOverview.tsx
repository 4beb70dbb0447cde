import { Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import { date, money } from '../../messages/format';
import { InfoTooltip } from '../../ui/InfoTooltip';
import { Money } from '../../ui/Money';
import { sumsWithMoney } from '../../ui/sums';
import { Section } from '../../ui/Section';
import { ErrorState } from '../../ui/ErrorState';
import { useParam } from '../queryParams';
import classes from './CommissionOverview.module.css';
import { periods, usePeriods } from './periods';

/** Commission totals of a period: paid, pending, next payout (decision 16). */
export function CommissionOverview({ isoId }: { isoId?: string }) {
  const { t } = useTranslation('commissions');
  const [periodParam, setPeriodParam] = useParam('period');
  const period = periods.find((known) => known === periodParam) ?? 'this_month';
  const choices = usePeriods();
  const { data, error, refetch } = useQuery(queries.commissionOverview({ iso_id: isoId, period }));
  const basis = data?.projected ? 'projected' : 'ledger';
  const figures = ['paid', 'pending', 'next_payment', 'total'] as const;
  return (
    <Section
      title={t('overview.title')}
      actions={
        <Select
          size="sm"
          w={160}
          aria-label={t('overview.period')}
          data={choices}
          value={period}
          onChange={(next) => setPeriodParam(next === 'this_month' ? '' : (next ?? ''))}
          allowDeselect={false}
        />
      }
    >
      {error && !data ? (
        <ErrorState message={errorText(error)} onRetry={() => void refetch()} />
      ) : (
        <>
          <dl className={classes.figures}>
            {figures.map((name) => (
              <div key={name}>
                <dt>
                  {t(`overview.${name}`)}
                  <InfoTooltip about={t(`overview.${name}`)} text={t(`overview.${name}_${basis}`)} />
                </dt>
                {data ? (
                  sumsWithMoney(
                    [data, ...data.others].map((sum) => ({ amount: sum[name], currency: sum.currency })),
                    data.currency,
                  ).map((sum) => (
                    <dd key={sum.currency}>
                      <Money {...sum} />
                    </dd>
                  ))
                ) : (
                  <dd>—</dd>
                )}
              </div>
            ))}
          </dl>
          <p className={classes.caption}>
            {data?.projected && <strong>{t('overview.projected')} · </strong>}
            {data && t('overview.between', { from: date(data.from), to: date(data.to) })}
            {data && data.expected.length > 0 && (
              <>
                {' · '}
                {t('overview.expected', {
                  amount: data.expected.map((sum) => money(sum.amount, sum.currency)).join(', '),
                })}
                <InfoTooltip about={t('overview.expected_label')} text={t('overview.expected_text')} />
              </>
            )}
          </p>
        </>
      )}
    </Section>
  );
}
