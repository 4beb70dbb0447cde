import { IconHistory } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { queries } from '../../../api/queries';
import { activityText } from '../../../shared/activity/activityText';
import { rowsState } from '../../../shared/grid/listState';
import { ActivityList, ActivitySkeleton } from '../../../ui/ActivityList';
import { LoadMore } from '../../../ui/LoadMore';
import { Section } from '../../../ui/Section';
import { EmptyState } from '../../../ui/EmptyState';
import { ErrorState } from '../../../ui/ErrorState';

/** Activity log of the client. */
export function ActivityPanel() {
  const { t } = useTranslation(['profile', 'events', 'names']);
  const { rows, error, retry, more } = rowsState(useInfiniteQuery(queries.ownActivity()));
  return (
    <Section title={t('activity.title')}>
      {!rows && error && <ErrorState message={error} onRetry={retry} />}
      {!rows && !error && <ActivitySkeleton />}
      {rows?.length === 0 && <EmptyState icon={<IconHistory size={20} />} title={t('activity.empty')} />}
      {rows && rows.length > 0 && (
        <ActivityList entries={rows.map((one) => ({ id: one.id, at: one.at, text: activityText(t, one) }))} />
      )}
      {more && <LoadMore mt="md" loading={more.loading} onLoad={more.load} />}
    </Section>
  );
}
