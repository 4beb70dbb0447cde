import type { RequestKind, RequestPriority, RequestStatus } from '../../api/types';
import type { ToneName } from '../../theme';

export const kinds: RequestKind[] = ['order', 'account', 'lead', 'document', 'support', 'call', 'other'];
export const states: RequestStatus[] = ['pending', 'in_review', 'approved', 'rejected', 'withdrawn'];
export const priorities: RequestPriority[] = ['high', 'medium', 'low'];

export const priorityTone: Record<RequestPriority, ToneName> = { high: 'stop', medium: 'wait', low: 'rest' };

/** Other kinds have their own form. */
export function quickKinds(offered: RequestKind[]): RequestKind[] {
  return offered.filter((kind) => kind !== 'order' && kind !== 'account');
}
