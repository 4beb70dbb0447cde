import { Button } from '@mantine/core';
import { IconDeviceDesktop, IconHistory, IconShieldOff } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../../api/client';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import type { AccountDetail, AccountSession } from '../../../api/types';
import { dateTime } from '../../../messages/format';
import { activityText } from '../../../shared/activity/activityText';
import { rowsState } from '../../../shared/grid/listState';
import { SignInTable } from '../../../shared/security/SignInTable';
import { useSave } from '../../../shared/useSave';
import { ActivityList, ActivitySkeleton } from '../../../ui/ActivityList';
import { ConfirmDialog } from '../../../ui/ConfirmDialog';
import type { GridColumn } from '../../../ui/grid/columns';
import { RowGrid } from '../../../shared/grid/RowGrid';
import { RelativeTime } from '../../../ui/DateText';
import { LoadMore } from '../../../ui/LoadMore';
import { Section } from '../../../ui/Section';
import { EmptyState } from '../../../ui/EmptyState';
import { ErrorState } from '../../../ui/ErrorState';
import { Tag } from '../../../ui/Tag';
import { toast } from '../../../ui/toasts';
import classes from './UserPage.module.css';

/** Sessions of the user, with sign-out of one or all. */
export function Sessions({ id }: { id: string }) {
  const { t } = useTranslation(['users', 'security', 'common']);
  const [ending, setEnding] = useState<AccountSession | 'all'>();
  const { data, error, refetch } = useQuery(queries.userSessions(id));
  const save = useSave({
    save: async (which: AccountSession | 'all') => {
      if (which === 'all') {
        await body(api.POST('/rest/v1/users/{id}/sign-out', { params: { path: { id } }, body: {} }));
      } else {
        const path = { id, session: which.id };
        await body(api.DELETE('/rest/v1/users/{id}/sessions/{session}', { params: { path } }));
      }
    },
    invalidates: 'session',
    onSaved: () => {
      setEnding(undefined);
      toast({ title: t('session_ended') });
    },
  });
  const columns: GridColumn<AccountSession>[] = [
    {
      key: 'device',
      phone: 'title',
      header: t('security:history.device'),
      cell: (session) => (
        <>
          {session.device ?? t('security:sessions.unknown')}{' '}
          {session.current && <Tag tone="live">{t('security:sessions.this')}</Tag>}
          {session.aal === 'aal2' && <Tag tone="rest">{t('security:sessions.aal2')}</Tag>}
        </>
      ),
    },
    {
      key: 'address',
      phone: 'text',
      header: t('security:history.from'),
      cell: ({ address }) => <span className="num">{address ?? '—'}</span>,
    },
    {
      key: 'used',
      phone: 'end',
      header: t('last_used'),
      cell: (session) => <RelativeTime at={session.last_used_at} />,
    },
    {
      key: 'begun',
      header: t('begun'),
      cell: (session) => <RelativeTime at={session.created_at} />,
    },
    {
      key: 'actions',
      header: t('common:actions'),
      actions: true,
      cell: (session) => (
        <Button
          variant="default"
          size="compact-sm"
          aria-label={t('security:sessions.end_of', {
            device: session.device ?? t('security:sessions.unknown'),
          })}
          onClick={() => setEnding(session)}
        >
          {t('security:sessions.end')}
        </Button>
      ),
    },
  ];
  return (
    <Section
      title={t('sessions')}
      flush
      actions={
        data &&
        data.length > 1 && (
          <Button variant="default" onClick={() => setEnding('all')}>
            {t('act.sign_out')}
          </Button>
        )
      }
    >
      <RowGrid
        label={t('sessions')}
        columns={columns}
        state={{ rows: data, error: error ? errorText(error) : null, retry: () => void refetch() }}
        rowKey={(session) => session.id}
        empty={<EmptyState icon={<IconDeviceDesktop size={20} />} title={t('no_sessions')} />}
      />
      {ending && (
        <ConfirmDialog
          title={ending === 'all' ? t('end_all_title') : t('end_title')}
          confirmLabel={ending === 'all' ? t('act.sign_out') : t('security:sessions.end')}
          busyLabel={t('security:sessions.ending')}
          busy={save.isPending}
          danger
          onConfirm={() => save.mutate(ending)}
          onClose={() => setEnding(undefined)}
        >
          {t('end_text')}
        </ConfirmDialog>
      )}
    </Section>
  );
}

/** Sign-in history of the user. */
export function SignIns({ id }: { id: string }) {
  const { t } = useTranslation('users');
  return (
    <Section title={t('sign_ins')} flush>
      <SignInTable label={t('sign_ins')} state={rowsState(useInfiniteQuery(queries.userSignIns(id)))} />
    </Section>
  );
}

/** MFA factors of the user. */
export function Factors({ user }: { user: AccountDetail | undefined }) {
  const { t } = useTranslation('users');
  const factors = user?.factors.filter((factor) => factor.verified);
  return (
    <Section title={t('factors')}>
      {!factors && <ActivitySkeleton />}
      {factors?.length === 0 && <EmptyState icon={<IconShieldOff size={20} />} title={t('no_factors')} />}
      {factors && factors.length > 0 && (
        <ul className={classes.factors}>
          {factors.map((factor) => (
            <li key={factor.id}>
              <span>{factor.name || t(`factor.${factor.kind}`)}</span>
              <span className={classes.since}>{t('since', { at: dateTime(factor.created_at) })}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

/** Activity of the user and changes to the account. */
export function OwnActivity({ id }: { id: string }) {
  const { t } = useTranslation(['users', 'common', 'events', 'names']);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    queries.userActivity(id),
  );
  return (
    <Section title={t('activity')}>
      {error && !data && <ErrorState message={errorText(error)} onRetry={() => void refetch()} />}
      {!data && !error && <ActivitySkeleton />}
      {data?.length === 0 && (
        <EmptyState icon={<IconHistory size={20} />} title={t('common:activity.empty')} />
      )}
      {data && data.length > 0 && (
        <ActivityList entries={data.map((one) => ({ id: one.id, at: one.at, text: activityText(t, one) }))} />
      )}
      {hasNextPage && (
        <LoadMore fullWidth mt="sm" loading={isFetchingNextPage} onLoad={() => void fetchNextPage()} />
      )}
    </Section>
  );
}
