import { Button, Skeleton } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { errorText } from '../../../api/errors';
import { queries } from '../../../api/queries';
import type { AccountDetail } from '../../../api/types';
import { dateTime } from '../../../messages/format';
import { actorName } from '../../../messages/actorName';
import { paths } from '../../../paths';
import { EmailWithFailure } from '../../../shared/people/EmailWithFailure';
import { Crumb } from '../../../shared/shell/Crumb';
import { RelativeTime } from '../../../ui/DateText';
import { DetailList } from '../../../ui/DetailList';
import { PageHeader } from '../../../ui/PageHeader';
import { ActionMenu } from '../../../ui/RowMenu';
import { Section } from '../../../ui/Section';
import { ErrorState } from '../../../ui/ErrorState';
import { StatusBadge } from '../../../ui/StatusBadge';
import { Tag } from '../../../ui/Tag';
import { TwoColumns } from '../../../ui/TwoColumns';
import { useUserActions } from './actions';
import { Factors, OwnActivity, Sessions, SignIns } from './UserSections';

/** User page: account, security, sessions and activity. */
export function Component() {
  const { id = '' } = useParams();
  const { t } = useTranslation('users');
  const { data: user, error, refetch } = useQuery(queries.user(id));
  const trail = <Crumb to={paths.adminUsers}>{t('title')}</Crumb>;
  if (error && !user)
    return (
      <>
        <PageHeader title={t('title')} trail={trail} />
        <ErrorState message={errorText(error)} onRetry={() => void refetch()} />
      </>
    );
  return (
    <>
      <PageHeader
        trail={trail}
        title={user ? `${user.first_name} ${user.last_name}` : '…'}
        text={user?.email}
        actions={user ? <Actions user={user} /> : <Skeleton height={44} width={160} />}
      />
      <TwoColumns
        sideFirst
        main={
          <>
            <Sessions id={id} />
            <SignIns id={id} />
          </>
        }
        side={
          <>
            <About user={user} />
            <Factors user={user} />
            <OwnActivity id={id} />
          </>
        }
      />
    </>
  );
}

function Actions({ user }: { user: AccountDetail }) {
  const { t } = useTranslation(['users', 'common']);
  const { actions, dialog } = useUserActions(user);
  return (
    <>
      <StatusBadge kind="profile" status={user.status} />
      <ActionMenu actions={actions}>
        <Button variant="default" rightSection={<IconChevronDown size={15} aria-hidden="true" />}>
          {t('common:actions')}
        </Button>
      </ActionMenu>
      {dialog}
    </>
  );
}

function About({ user }: { user: AccountDetail | undefined }) {
  const { t } = useTranslation(['users', 'names']);
  return (
    <Section title={t('about')}>
      {user ? (
        <DetailList
          details={[
            [
              t('names:field.email'),
              user.email_failure && (
                <EmailWithFailure key="email" email={user.email} failure={user.email_failure} />
              ),
            ],
            [t('names:field.role'), t(`names:role.${user.role}`)],
            [t('names:field.company_id'), user.company_name],
            [t('names:field.iso_id'), user.iso_name],
            [t('names:field.phone'), user.phone],
            [
              t('last_active'),
              user.last_active_at ? <RelativeTime key="active" at={user.last_active_at} /> : t('never'),
            ],
            [t('last_sign_in'), user.last_sign_in_at && dateTime(user.last_sign_in_at)],
            [t('made'), dateTime(user.created_at)],
            [
              t('changed'),
              t('changed_by', { at: dateTime(user.updated_at), name: actorName(t, user.updated_by) }),
            ],
            [
              t('ways'),
              <>
                {user.has_password && <Tag tone="rest">{t('password')}</Tag>}{' '}
                {user.providers.map((provider) => (
                  <Tag key={provider} tone="rest">
                    {t(`provider.${provider}`, { defaultValue: provider })}
                  </Tag>
                ))}
                {!user.has_password && user.providers.length === 0 && t('no_way')}
              </>,
            ],
          ]}
        />
      ) : (
        <Skeleton height={200} />
      )}
    </Section>
  );
}
