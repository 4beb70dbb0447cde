import { useTranslation } from 'react-i18next';
import type { ToneName } from '../theme';
import { Tag } from './Tag';

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
  | 'call';

const toneOf: Record<string, ToneName> = {
  pending: 'wait',
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
};

/** Status label. */
export function StatusBadge({ kind, status }: { kind: Kind; status: string }) {
  const { t } = useTranslation('names');
  return <Tag tone={toneOf[status] ?? 'rest'}>{t(`${kind}_status.${status}`)}</Tag>;
}
