import { Button } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../api/errors';
import { queries } from '../../api/queries';
import { ActivityList, ActivityWaiting } from '../../ui/ActivityList';
import { Section } from '../../ui/Section';
import { EmptyState, ErrorState } from '../../ui/states';
import { activityText } from './words';

/** What happened to one order, or to one other thing, as far as the reader may know of it. */
export function Timeline({ spvId, subjectId }: { spvId?: string; subjectId?: string }) {
  const { t } = useTranslation(['orders', 'common', 'events', 'names']);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    queries.activity({ spv_id: spvId, subject_id: subjectId, limit: 10 }),
  );
  return (
    <Section title={t('timeline')}>
      {error && !data && <ErrorState message={errorText(error)} onRetry={() => void refetch()} />}
      {!data && !error && <ActivityWaiting />}
      {data?.length === 0 && (
        <EmptyState icon={<IconHistory size={20} />} title={t('common:activity.empty')} />
      )}
      {data && data.length > 0 && (
        <ActivityList entries={data.map((one) => ({ id: one.id, at: one.at, text: activityText(t, one) }))} />
      )}
      {hasNextPage && (
        <Button
          variant="default"
          fullWidth
          mt="sm"
          disabled={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {isFetchingNextPage ? t('common:loading') : t('show_more')}
        </Button>
      )}
    </Section>
  );
}
