import { useTranslation } from 'react-i18next';
import css from './previews.module.css';

/** As ui/StatusBadge looks, without what it loads. */
export function Status({ status }: { status: 'active' | 'pending' | 'processing' | 'closed' }) {
  const { t } = useTranslation('landing');
  return (
    <span className={css.status} data-status={status}>
      {t(`preview.${status}`)}
    </span>
  );
}
