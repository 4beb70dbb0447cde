import { useTranslation } from 'react-i18next';
import type { Settings } from '../../../api/types';
import css from './SupportLines.module.css';

/** Support contact lines of the operator. */
export function SupportLines({ settings }: { settings: Settings | undefined }) {
  const { t } = useTranslation('public');
  const email = settings?.support_email;
  const phone = settings?.support_phone;
  if (!email && !phone) return null;
  return (
    <dl className={css.lines}>
      {email && (
        <div>
          <dt>{t('support.email')}</dt>
          <dd>
            <a href={`mailto:${email}`}>{email}</a>
          </dd>
        </div>
      )}
      {phone && (
        <div>
          <dt>{t('support.phone')}</dt>
          <dd>
            <a href={`tel:${phone.replace(/[^+\d]/g, '')}`}>{phone}</a>
          </dd>
        </div>
      )}
    </dl>
  );
}
