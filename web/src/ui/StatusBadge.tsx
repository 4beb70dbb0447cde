import { useTranslation } from 'react-i18next';
import type { ToneName } from '../theme';
import { Quiet, Settled, Tag } from './Tag';

type Kind =
  | 'spv'
  | 'step'
  | 'profile'
  | 'request'
  | 'invoice'
  | 'document_request'
  | 'commission'
  | 'payout_run'
  | 'lead'
  | 'call'
  | 'approval';

const toneOf: Record<string, ToneName> = {
  // A step that is not due needs no action, so it has no colour.
  pending: 'rest',
  active: 'live',
  processing: 'work',
  in_progress: 'work',
  closed: 'done',
  completed: 'done',
  due: 'wait',
  part_paid: 'work',
  paid: 'done',
  void: 'rest',
  approved: 'done',
  in_review: 'work',
  rejected: 'stop',
  blocked: 'stop',
  suspended: 'stop',
  cancelled: 'rest',
  on_hold: 'rest',
  archived: 'rest',
  requested: 'wait',
  submitted: 'work',
  needs_revision: 'stop',
  waived: 'rest',
  open: 'work',
  discarded: 'rest',
  new: 'wait',
  contacted: 'work',
  qualified: 'live',
  won: 'done',
  lost: 'rest',
  confirmed: 'done',
  declined: 'stop',
  withdrawn: 'rest',
  expired: 'rest',
};

export function statusTone(status: string): ToneName {
  return toneOf[status] ?? 'rest';
}

/** Settled: no action is needed, so the words have a dot instead of a colored field. */
const SETTLED = new Set([
  'active',
  'archived',
  'cancelled',
  'closed',
  'completed',
  'confirmed',
  'discarded',
  'expired',
  'lost',
  'paid',
  'void',
  'waived',
  'withdrawn',
  'won',
]);

/** Status label; a step that waits its turn is plain text. */
export function StatusBadge({ kind, status }: { kind: Kind; status: string }) {
  const { t } = useTranslation('names');
  const label = t(`${kind}_status.${status}`);
  if (kind === 'step' && status === 'pending') return <Quiet>{label}</Quiet>;
  // A pending approval waits for a person; other pending things wait their turn.
  const tone = kind === 'approval' && status === 'pending' ? 'wait' : statusTone(status);
  // An approved commission waits for its payout; an approved request or document for nothing.
  const settled = SETTLED.has(status) || (status === 'approved' && kind !== 'commission');
  return settled ? <Settled tone={tone}>{label}</Settled> : <Tag tone={tone}>{label}</Tag>;
}
