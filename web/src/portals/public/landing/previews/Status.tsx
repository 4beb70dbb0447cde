import { useLandingMessages } from '../../../../messages/landingMessages';
import css from './previews.module.css';

/** Lightweight copy of ui/StatusBadge. */
export function Status({ status }: { status: 'active' | 'pending' | 'processing' | 'closed' }) {
  const t = useLandingMessages();
  return (
    <span className={css.status} data-status={status}>
      {t(`preview.${status}`)}
    </span>
  );
}
