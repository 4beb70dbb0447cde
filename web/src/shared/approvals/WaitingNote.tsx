import { Alert, Anchor } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { Approval } from '../../api/types';
import { dateTime } from '../../messages/format';
import { paths } from '../../paths';
import { useWaiting } from './waiting';

/** Says where an act was asked for that it waits for a second super admin; nothing otherwise. */
export function WaitingNote({ act, target }: { act: Approval['act']; target?: string }) {
  const { t } = useTranslation('common');
  const approval = useWaiting(act, target);
  if (!approval) return null;
  return (
    <Alert role="status" title={t('waiting.title')} mb="md">
      {t('waiting.note', {
        name: approval.requested_by.name,
        at: dateTime(approval.requested_at),
        until: dateTime(approval.expires_at),
      })}{' '}
      <Anchor component={Link} to={paths.adminApprovals} size="sm">
        {t('waiting.open')}
      </Anchor>
    </Alert>
  );
}
