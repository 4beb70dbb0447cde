import { useQuery } from '@tanstack/react-query';
import i18next, { type TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import type { Approval, Me } from '../../api/types';
import { toast } from '../../ui/toasts';
import { useMe } from '../session/me';

/** Says that an act waits for a super admin, a second one where a super admin asked; nothing has changed. */
export function toastWaiting(asker: Me['role'] = 'super_admin'): void {
  const t = i18next.getFixedT(null, 'common');
  toast({
    title: waitingTitle(t, asker),
    description: t(asker === 'super_admin' ? 'waiting.text' : 'waiting.text_employee'),
  });
}

/** Names who approves: the reader where they may, else a second super admin for a super admin who asked, else any. */
function waitingTitle(t: TFunction<'common'>, reader: Me['role'], approval?: Approval): string {
  if (approval?.can.includes('approve')) return t('waiting.title_yours');
  return t(reader === 'super_admin' ? 'waiting.title' : 'waiting.title_employee');
}

/** Title of an act that waits. */
export function useWaitingTitle(approval: Approval | undefined): string {
  const { t } = useTranslation('common');
  return waitingTitle(t, useMe().role, approval);
}

/** The approval that an act waits for: any for super admins, for employees one that they asked for. */
export function useWaiting(act: Approval['act'], target?: string): Approval | undefined {
  const { role } = useMe();
  const staff = role === 'super_admin' || role === 'employee';
  const { data } = useQuery({ ...queries.pendingApprovals(), enabled: staff });
  return data?.find((approval) => approval.act === act && (!target || approval.target_id === target));
}
