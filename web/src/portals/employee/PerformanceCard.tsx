import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import { number, percent } from '../../messages/format';
import { DetailList } from '../../ui/DetailList';
import { Section } from '../../ui/Section';
import { ErrorState } from '../../ui/ErrorState';

/** Limit of the server for the steps it counts. */
const MAX_STEPS = 1000;

/** Recent performance of the office. */
export function PerformanceCard() {
  const { t } = useTranslation('employee');
  const { data, error, refetch } = useQuery(queries.performance());
  const none = t('performance.none');
  return (
    <Section title={t('performance.title')}>
      {error && !data && <ErrorState message={errorText(error)} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton height={96} aria-hidden="true" />}
      {data && (
        <DetailList
          details={[
            [t('performance.on_time'), data.on_time_percent == null ? none : percent(data.on_time_percent)],
            [
              t('performance.median'),
              data.median_days == null ? none : t('performance.days', { days: number(data.median_days) }),
            ],
            [
              t('performance.overdue'),
              data.overdue < MAX_STEPS
                ? number(data.overdue)
                : t('performance.or_more', { steps: number(MAX_STEPS) }),
            ],
            [
              t('performance.completed'),
              data.completed < MAX_STEPS
                ? number(data.completed)
                : t('performance.newest', { steps: number(MAX_STEPS) }),
            ],
          ]}
        />
      )}
    </Section>
  );
}
