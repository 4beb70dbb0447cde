import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { queries } from '../../api/queries';
import { Money } from '../../ui/Money';
import { Section } from '../../ui/Section';
import { ages } from './ages';
import classes from './InvoiceAging.module.css';

/** Outstanding amounts by days past the due date; each leads to its invoices. Nothing while nothing is outstanding. */
export function InvoiceAging() {
  const { t } = useTranslation('billing');
  const { data, error } = useQuery(queries.billing());
  if (!data && !error)
    return (
      <Section title={t('aging')} flush>
        <div className={classes.ages} aria-busy="true">
          {ages.map((age) => (
            <div key={age} className={classes.age}>
              <span className={classes.label}>{t(`filter.due_${age}`)}</span>
              <Skeleton height={12} width={72} my={5} />
              <span className={classes.track} />
            </div>
          ))}
        </div>
      </Section>
    );
  if (!data || data.owed.length === 0) return null;
  return (
    <Section title={t('aging')} flush>
      {data.owed.map(({ currency, amount, aging }) => (
        <ul key={currency} className={classes.ages} aria-label={`${t('aging')} (${currency})`}>
          {ages.map((age) => (
            <li key={age}>
              <Link
                className={classes.age}
                to={{ search: `?due=${age}` }}
                data-empty={Number(aging[age]) === 0 || undefined}
              >
                <span className={classes.label}>{t(`filter.due_${age}`)}</span>
                <Money amount={aging[age]} currency={currency} />
                <span className={classes.track} aria-hidden>
                  <span
                    className={classes.share}
                    data-late={age !== 'not_due' || undefined}
                    style={{ width: `${(Number(aging[age]) / Number(amount)) * 100}%` }}
                  />
                </span>
              </Link>
            </li>
          ))}
        </ul>
      ))}
    </Section>
  );
}
