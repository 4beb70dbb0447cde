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

/** The approval that an act waits for: any for super admins, for employees one that they asked for. */
export function useWaiting(act: Approval['act'], target?: string): Approval | undefined {
  const { role } = useMe();
  const staff = role === 'super_admin' || role === 'employee';
  const { data } = useQuery({ ...queries.pendingApprovals(), enabled: staff });
  return data?.find((approval) => approval.act === act && (!target || approval.target_id === target));
}
