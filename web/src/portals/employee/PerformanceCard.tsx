import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import { number, percent } from '../../messages/format';
import { DetailList } from '../../ui/DetailList';
import { Section } from '../../ui/Section';
import { ErrorState } from '../../ui/states';

/** How the office's work went lately. */
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
            [t('performance.overdue'), number(data.overdue)],
            [t('performance.completed'), number(data.completed)],
          ]}
        />
      )}
    </Section>
  );
}
