import { useQuery } from '@tanstack/react-query';
import i18next from 'i18next';
import { queries } from '../../api/queries';
import type { Approval } from '../../api/types';
import { toast } from '../../ui/toasts';
import { useMe } from '../session/me';

/** Says that an act waits for a second super admin; nothing has changed. */
export function toastWaiting(): void {
  toast({ title: i18next.t('common:waiting.title'), description: i18next.t('common:waiting.text') });
}

/** The approval that an act waits for, as super admins see it. */
export function useWaiting(act: Approval['act'], target?: string): Approval | undefined {
  const { role } = useMe();
  const { data } = useQuery({ ...queries.pendingApprovals(), enabled: role === 'super_admin' });
  return data?.find((approval) => approval.act === act && (!target || approval.target_id === target));
}
