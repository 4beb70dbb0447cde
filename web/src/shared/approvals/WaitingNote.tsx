import { Alert, Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { api, body, versionedBody } from '../../api/client';
import type { Approval } from '../../api/types';
import { dateTime } from '../../messages/format';
import { paths } from '../../paths';
import { toast } from '../../ui/toasts';
import { useMe } from '../session/me';
import { useSave } from '../useSave';
import { useWaiting, useWaitingTitle } from './waiting';

interface Props {
  act: Approval['act'];
  target?: string;
  /** Why it waits, where that is not plain. */
  reason?: string;
}

/** Says where an act was asked for that it waits for a super admin; nothing otherwise. The employee who asked can take
it back. */
export function WaitingNote({ act, target, reason }: Props) {
  const { t } = useTranslation('common');
  const isSuperAdmin = useMe().role === 'super_admin';
  const approval = useWaiting(act, target);
  const title = useWaitingTitle(approval);
  const withdraw = useSave({
    save: async () => {
      if (!approval) return;
      await body(api.POST('/rest/v1/approvals/{id}/withdraw', { params: versionedBody(approval), body: {} }));
    },
    invalidates: 'approval',
    onSaved: () => {
      toast({ title: t('waiting.withdrawn') });
    },
  });
  if (!approval) return null;
  return (
    <Alert role="status" title={title} mb="md">
      {reason && `${reason} `}
      {t('waiting.note', {
        name: approval.requested_by.name,
        at: dateTime(approval.requested_at),
        until: dateTime(approval.expires_at),
      })}{' '}
      {isSuperAdmin ? (
        <Anchor component={Link} to={paths.adminApprovals} size="sm">
          {t('waiting.open')}
        </Anchor>
      ) : (
        <Anchor component="button" type="button" size="sm" onClick={() => withdraw.mutate(undefined)}>
          {t('waiting.withdraw')}
        </Anchor>
      )}
    </Alert>
  );
}
