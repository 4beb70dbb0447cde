import { IconHistory } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import { ActivityList, ActivitySkeleton } from '../../ui/ActivityList';
import { LoadMore } from '../../ui/LoadMore';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/EmptyState';
import { ErrorState } from '../../ui/ErrorState';
import { activityText } from './activityText';

/** Timeline of one order or other subject, as far as visible to the user. */
export function Timeline({ spvId, subjectId }: { spvId?: string; subjectId?: string }) {
  const { t } = useTranslation('orders');
  return (
    <Section title={t('timeline')}>
      <Events from={queries.activity({ spv_id: spvId, subject_id: subjectId, limit: 10 })} />
    </Section>
  );
}

/** Events of a list, newest first. */
export function Events({ from }: { from: ReturnType<typeof queries.activity> }) {
  const { t } = useTranslation(['orders', 'common', 'events', 'names']);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(from);
  return (
    <>
      {error && !data && <ErrorState message={errorText(error)} onRetry={() => void refetch()} />}
      {!data && !error && <ActivitySkeleton />}
      {data?.length === 0 && (
        <EmptyState icon={<IconHistory size={20} />} title={t('common:activity.empty')} />
      )}
      {data && data.length > 0 && (
        <ActivityList entries={data.map((one) => ({ id: one.id, at: one.at, text: activityText(t, one) }))} />
      )}
      {hasNextPage && (
        <LoadMore
          fullWidth
          mt="sm"
          label={t('show_more')}
          loading={isFetchingNextPage}
          onLoad={() => void fetchNextPage()}
        />
      )}
    </>
  );
}
