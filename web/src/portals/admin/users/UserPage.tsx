import { Button } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { queries } from '../../../api/queries';
import type { AccountDetail } from '../../../api/types';
import { number } from '../../../messages/format';
import { actorName } from '../../../messages/actorName';
import { paths } from '../../../paths';
import { WaitingNote } from '../../../shared/approvals/WaitingNote';
import { EmailWithFailure } from '../../../shared/people/EmailWithFailure';
import { CompanyLink, EmailLink, IsoLink, RecordLink } from '../../../shared/records/links';
import { RecordEvents } from '../../../shared/records/RecordActivity';
import { RecordPage } from '../../../shared/records/RecordPage';
import { RecordTabs } from '../../../shared/records/RecordTabs';
import { usePageActions } from '../../../shared/shell/registry';
import { RelativeTime } from '../../../ui/DateText';
import { ActionMenu } from '../../../ui/RowMenu';
import { StatusBadge } from '../../../ui/StatusBadge';
import { useUserActions } from './actions';
import { Sessions, SignInMethods, SignIns } from './UserSections';

/** Record of a user: account, sessions, sign-ins, second factors and activity. */
export function Component() {
  const { id = '' } = useParams();
  const { t } = useTranslation(['users', 'names', 'employee']);
  const query = useQuery(queries.user(id));
  return (
    <RecordPage
      query={query}
      list={{ to: paths.adminUsers, name: t('title') }}
      kind={t('user')}
      title={(user) => `${user.first_name} ${user.last_name}`}
      status={(user) => <StatusBadge kind="profile" status={user.status} />}
      actions={(user) => <Actions user={user} />}
      facts={(user) => facts(t, user)}
    >
      <WaitingNote act="make_super_admin" target={id} />
      <WaitingNote act="restore_super_admin" target={id} />
      <UserTabs id={id} user={query.data} />
    </RecordPage>
  );
}

function Actions({ user }: { user: AccountDetail }) {
  const { t } = useTranslation(['users', 'common']);
  const { actions, dialog } = useUserActions(user);
  usePageActions(actions.map(({ label, onClick }) => ({ label, run: onClick })));
  return (
    <>
      <ActionMenu actions={actions}>
        <Button variant="default" rightSection={<IconChevronDown size={15} aria-hidden="true" />}>
          {t('common:actions')}
        </Button>
      </ActionMenu>
      {dialog}
    </>
  );
}

function facts(t: TFunction<['users', 'names', 'employee']>, user: AccountDetail): [string, ReactNode][] {
  const { company_id, company_name, iso_id, iso_name } = user;
  return [
    [
      t('names:field.email'),
      user.email_failure ? (
        <EmailWithFailure key="email" email={user.email} failure={user.email_failure} />
      ) : (
        <EmailLink key="email" email={user.email} />
      ),
    ],
    [t('names:field.phone'), user.phone],
    [t('names:field.role'), <RoleOf key="role" user={user} />],
    [
      t('names:field.company_id'),
      company_id && <CompanyLink key="company" id={company_id} name={company_name} />,
    ],
    [t('names:field.iso_id'), iso_id && <IsoLink key="iso" id={iso_id} name={iso_name} />],
    [
      t('last_active'),
      user.last_active_at ? <RelativeTime key="active" at={user.last_active_at} /> : t('never'),
    ],
    [t('made'), <RelativeTime key="made" at={user.created_at} />],
    [
      t('changed'),
      <span key="changed">
        <RelativeTime at={user.updated_at} /> · {actorName(t, user.updated_by)}
      </span>,
    ],
  ];
}

/** A client's role leads to the client's record. */
function RoleOf({ user }: { user: AccountDetail }) {
  const { t } = useTranslation('names');
  const role = t(`role.${user.role}`);
  return user.role === 'client' ? <RecordLink to={paths.employeeClient(user.id)} name={role} /> : role;
}

function UserTabs({ id, user }: { id: string; user: AccountDetail | undefined }) {
  const { t } = useTranslation(['users', 'shell']);
  const sessions = useQuery(queries.userSessions(id)).data?.length;
  const factors = user?.factors.filter((factor) => factor.verified).length;
  return (
    <RecordTabs
      label={t('user')}
      tabs={[
        {
          key: 'sessions',
          label: t('sessions'),
          count: sessions ? number(sessions) : undefined,
          content: <Sessions id={id} />,
        },
        { key: 'sign-ins', label: t('sign_ins'), content: <SignIns id={id} /> },
        {
          key: 'methods',
          label: t('methods'),
          count: factors ? number(factors) : undefined,
          content: <SignInMethods user={user} />,
        },
        { key: 'activity', label: t('activity'), content: <RecordEvents from={queries.userActivity(id)} /> },
      ]}
    />
  );
}
