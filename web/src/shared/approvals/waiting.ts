import { useQuery } from '@tanstack/react-query';
import i18next from 'i18next';
import { useTranslation } from 'react-i18next';
import { queries } from '../../api/queries';
import type { Approval, Me } from '../../api/types';
import { toast } from '../../ui/toasts';
import { useMe } from '../session/me';

/** Says that an act waits for a super admin, a second one where a super admin asked; nothing has changed. */
export function toastWaiting(asker: Me['role'] = 'super_admin'): void {
  const second = asker === 'super_admin';
  toast({
    title: i18next.t(second ? 'common:waiting.title' : 'common:waiting.title_employee'),
    description: i18next.t(second ? 'common:waiting.text' : 'common:waiting.text_employee'),
  });
}

/** Title of what waits: employees see only what they asked for themselves. */
export function useWaitingTitle(): string {
  const { t } = useTranslation('common');
  return useMe().role === 'super_admin' ? t('waiting.title') : t('waiting.title_employee');
}

/** The approval that an act waits for: any for super admins, for employees one that they asked for. */
export function useWaiting(act: Approval['act'], target?: string): Approval | undefined {
  const { role } = useMe();
  const staff = role === 'super_admin' || role === 'employee';
  const { data } = useQuery({ ...queries.pendingApprovals(), enabled: staff });
  return data?.find((approval) => approval.act === act && (!target || approval.target_id === target));
}
