import { Button, Stack } from '@mantine/core';
import { IconCircleCheck, IconCircleX, IconClock, IconInbox, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import { number } from '../../../messages/format';
import { paths } from '../../../paths';
import { linkTo } from '../../../shared/linkTo';
import { RecentActivity } from '../../../shared/activity/RecentActivity';
import { QuickSubmit } from '../../../shared/requests/QuickSubmit';
import { quickKinds } from '../../../shared/requests/quickRequestKinds';
import { useMe } from '../../../shared/session/me';
import { PageHeader } from '../../../ui/PageHeader';
import { StatCard, StatRow } from '../../../ui/StatCard';
import { ErrorState } from '../../../ui/ErrorState';
import { TwoColumns } from '../../../ui/TwoColumns';
import { DeskCharts } from './DeskCharts';
import { PriorityQueue } from './PriorityQueue';
import { RequestTable } from './RequestTable';

/** Request desk: all incoming requests with counts and actions. */
export function Component() {
  const { t } = useTranslation('requests');
  const me = useMe();
  const [submitting, setSubmitting] = useState(false);
  const { data: desk, error, refetch } = useQuery(queries.requestDesk());
  return (
    <>
      <PageHeader
        title={t('desk.title')}
        text={t('desk.text')}
        actions={
          <Button leftSection={<IconPlus size={15} />} onClick={() => setSubmitting(true)}>
            {t('submit')}
          </Button>
        }
      />
      <Stack gap="md">
        {error && !desk ? (
          <ErrorState message={errorText(error)} onRetry={() => void refetch()} />
        ) : (
          <>
            <StatRow>
              <StatCard
                label={t('desk.total')}
                link={linkTo(paths.requestsOf({}))}
                trend={desk?.weeks.map((week) => week.received)}
                icon={<IconInbox size={18} />}
                value={desk && number(desk.total)}
                hint={desk && desk.withdrawn > 0 ? t('desk.withdrawn', { count: desk.withdrawn }) : null}
              />
              <StatCard
                label={t('desk.pending')}
                link={linkTo(paths.requestsOf({ status: 'pending' }))}
                icon={<IconClock size={18} />}
                value={desk && number(desk.pending)}
                hint={desk && desk.in_review > 0 ? t('desk.in_review', { count: desk.in_review }) : null}
              />
              <StatCard
                label={t('desk.approved')}
                link={linkTo(paths.requestsOf({ status: 'approved' }))}
                trend={desk?.weeks.map((week) => week.approved)}
                icon={<IconCircleCheck size={18} />}
                value={desk && number(desk.approved)}
              />
              <StatCard
                label={t('desk.rejected')}
                link={linkTo(paths.requestsOf({ status: 'rejected' }))}
                trend={desk?.weeks.map((week) => week.rejected)}
                icon={<IconCircleX size={18} />}
                value={desk && number(desk.rejected)}
              />
            </StatRow>
            <TwoColumns
              main={<PriorityQueue queue={desk?.queue} />}
              side={<RecentActivity activity={desk?.activity} />}
            />
          </>
        )}
        <RequestTable />
        {(desk || !error) && <DeskCharts desk={desk} />}
      </Stack>
      {submitting && (
        <QuickSubmit kinds={quickKinds(me.request_kinds)} staff onClose={() => setSubmitting(false)} />
      )}
    </>
  );
}
