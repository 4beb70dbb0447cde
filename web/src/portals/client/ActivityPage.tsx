import { IconHistory } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import { activityText } from '../../shared/activity/activityText';
import { ActivityList, ActivitySkeleton } from '../../ui/ActivityList';
import { LoadMore } from '../../ui/LoadMore';
import { PageHeader } from '../../ui/PageHeader';
import { Section } from '../../ui/Section';
import { EmptyState } from '../../ui/EmptyState';
import { ErrorState } from '../../ui/ErrorState';
import { Crumb } from '../../shared/shell/Crumb';
import { paths } from '../../paths';

/** Activity of all orders of the client. */
export function Component() {
  const { t } = useTranslation(['client', 'common', 'events', 'names']);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    queries.activity({ limit: 50 }),
  );
  return (
    <>
      <PageHeader
        title={t('activity.title')}
        text={t('activity.text')}
        trail={<Crumb to={paths.clientDashboard}>{t('nav.dashboard')}</Crumb>}
      />
      <Section title={t('common:activity.title')}>
        {error && !data && <ErrorState message={errorText(error)} onRetry={() => void refetch()} />}
        {!data && !error && <ActivitySkeleton />}
        {data?.length === 0 && (
          <EmptyState icon={<IconHistory size={20} />} title={t('common:activity.empty')} />
        )}
        {data && data.length > 0 && (
          <ActivityList
            entries={data.map((one) => ({ id: one.id, at: one.at, text: activityText(t, one) }))}
          />
        )}
        {hasNextPage && <LoadMore mt="md" loading={isFetchingNextPage} onLoad={() => void fetchNextPage()} />}
      </Section>
    </>
  );
}
