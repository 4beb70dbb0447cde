import { Button } from '@mantine/core';
import { IconDeviceDesktop } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, body } from '../../../api/client';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import type { AccountDetail, AccountSession } from '../../../api/types';
import { dateTime } from '../../../messages/format';
import { rowsState } from '../../../shared/grid/listState';
import { SignInTable } from '../../../shared/security/SignInTable';
import { useSave } from '../../../shared/useSave';
import { ConfirmDialog } from '../../../ui/ConfirmDialog';
import type { GridColumn } from '../../../ui/grid/columns';
import { RowGrid } from '../../../shared/grid/RowGrid';
import { RelativeTime } from '../../../ui/DateText';
import { EmptyState } from '../../../ui/EmptyState';
import { Tag } from '../../../ui/Tag';
import { toast } from '../../../ui/toasts';
import classes from './UserPage.module.css';

/** Sessions of the user, each with sign-out; the actions of the page end all of them. */
export function Sessions({ id }: { id: string }) {
  const { t } = useTranslation(['users', 'security', 'common']);
  const [ending, setEnding] = useState<AccountSession>();
  const { data, error, refetch } = useQuery(queries.userSessions(id));
  const save = useSave({
    save: async (session: AccountSession) => {
      const path = { id, session: session.id };
      await body(api.DELETE('/rest/v1/users/{id}/sessions/{session}', { params: { path } }));
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
          {session.begun_by && ` (${t('security:sessions.begun_by', { name: session.begun_by })})`}
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
    <>
      <RowGrid
        main
        label={t('sessions')}
        columns={columns}
        state={{ rows: data, error: error ? errorText(error) : null, retry: () => void refetch() }}
        rowKey={(session) => session.id}
        empty={<EmptyState icon={<IconDeviceDesktop size={20} />} title={t('no_sessions')} />}
      />
      {ending && (
        <ConfirmDialog
          title={t('end_title')}
          confirmLabel={t('security:sessions.end')}
          busyLabel={t('security:sessions.ending')}
          busy={save.isPending}
          danger
          onConfirm={() => save.mutate(ending)}
          onClose={() => setEnding(undefined)}
        >
          {t('end_text')}
        </ConfirmDialog>
      )}
    </>
  );
}

/** Sign-in history of the user. */
export function SignIns({ id }: { id: string }) {
  const { t } = useTranslation('users');
  const query = useInfiniteQuery(queries.userSignIns(id));
  return <SignInTable label={t('sign_ins')} state={rowsState(query)} />;
}

/** Ways to sign in: password, providers and second factors. */
export function SignInMethods({ user }: { user: AccountDetail | undefined }) {
  const { t } = useTranslation('users');
  if (!user) return null;
  const factors = user.factors.filter((factor) => factor.verified);
  const methods = [
    ...(user.has_password ? [{ key: 'password', name: t('password') }] : []),
    ...user.providers.map((provider) => ({
      key: provider,
      name: t(`provider.${provider}`, { defaultValue: provider }),
    })),
  ];
  return (
    <div className={classes.methods}>
      <Methods title={t('ways')} none={t('no_way')} rows={methods} />
      <Methods
        title={t('factors')}
        none={t('no_factors')}
        rows={factors.map((factor) => ({
          key: factor.id,
          name: factor.name || t(`factor.${factor.kind}`),
          since: t('since', { at: dateTime(factor.created_at) }),
        }))}
      />
    </div>
  );
}

interface MethodsProps {
  title: string;
  none: string;
  rows: { key: string; name: string; since?: string }[];
}

function Methods({ title, none, rows }: MethodsProps) {
  return (
    <section aria-label={title}>
      <h2 className={classes.heading}>{title}</h2>
      {rows.length === 0 && <p className={classes.none}>{none}</p>}
      <ul className={classes.factors}>
        {rows.map(({ key, name, since }) => (
          <li key={key}>
            <span>{name}</span>
            {since && <span className={classes.since}>{since}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
