import { IconHistory } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { SignIn } from '../../api/types';
import { dateTime } from '../../messages/format';
import type { ToneName } from '../../theme';
import type { GridColumn, GridState } from '../../ui/grid/columns';
import { RowGrid } from '../grid/RowGrid';
import { EmptyState } from '../../ui/EmptyState';
import { Tag } from '../../ui/Tag';

const tones: Record<SignIn['outcome'], ToneName> = { succeeded: 'done', failed: 'stop', ended: 'rest' };

/** Sign-in history table. */
export function SignInTable({ label, state }: { label: string; state: GridState<SignIn> }) {
  const { t } = useTranslation('security');
  const columns: GridColumn<SignIn>[] = [
    {
      key: 'at',
      phone: 'title',
      header: t('history.at'),
      cell: ({ at }) => (
        <time className="num" dateTime={at}>
          {dateTime(at)}
        </time>
      ),
    },
    {
      key: 'outcome',
      phone: 'side',
      header: t('history.what'),
      cell: ({ outcome }) => <Tag tone={tones[outcome]}>{t(`history.${outcome}`)}</Tag>,
    },
    { key: 'how', phone: 'end', header: t('history.how'), cell: (signIn) => <SignInMethod {...signIn} /> },
    {
      key: 'device',
      phone: 'text',
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
    <RowGrid
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
