import { IconHistory } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { SignIn } from '../../api/types';
import { dateTime } from '../../messages/format';
import type { ToneName } from '../../theme';
import { DataTable, type Column, type TableState } from '../../ui/DataTable';
import { EmptyState } from '../../ui/EmptyState';
import { Tag } from '../../ui/Tag';

const tones: Record<SignIn['outcome'], ToneName> = { succeeded: 'done', failed: 'stop', ended: 'rest' };

/** Sign-in history table. */
export function SignInTable({ label, state }: { label: string; state: TableState<SignIn> }) {
  const { t } = useTranslation('security');
  const columns: Column<SignIn>[] = [
    {
      key: 'at',
      header: t('history.at'),
      cell: ({ at }) => (
        <time className="num" dateTime={at}>
          {dateTime(at)}
        </time>
      ),
    },
    {
      key: 'outcome',
      header: t('history.what'),
      cell: ({ outcome }) => <Tag tone={tones[outcome]}>{t(`history.${outcome}`)}</Tag>,
    },
    { key: 'how', header: t('history.how'), cell: (signIn) => <SignInMethod {...signIn} /> },
    {
      key: 'device',
      header: t('history.device'),
      cell: ({ device }) => device ?? t('sessions.unknown'),
    },
    {
      key: 'address',
      header: t('history.from'),
      cell: ({ address }) => <span className="num">{address ?? '—'}</span>,
    },
  ];
  return (
    <DataTable
      label={label}
      columns={columns}
      state={state}
      rowKey={(signIn) => signIn.id}
      empty={<EmptyState icon={<IconHistory size={20} />} title={t('history.empty')} />}
    />
  );
}

/** Method or reason; unknown values are shown raw. */
function SignInMethod({ method, reason }: SignIn) {
  const { t } = useTranslation('security');
  if (reason) return t(`history.reason.${reason}`, { defaultValue: reason.replaceAll('_', ' ') });
  // Some have a suffix: `mfa/recovery_code`, `email/signup`.
  const name = method?.split('/').at(-1);
  if (name) return t(`history.method.${name}`, { defaultValue: name.replaceAll('_', ' ') });
  return '—';
}
