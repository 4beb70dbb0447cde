import { useTranslation } from 'react-i18next';
import type { Client } from '../../api/types';
import { dateTime } from '../../messages/format';
import { Tag } from '../../ui/Tag';
import classes from './EmailWithFailure.module.css';

/** Email address with the last delivery failure. */
export function EmailWithFailure({ email, failure }: { email: string; failure: Client['email_failure'] }) {
  const { t } = useTranslation('common');
  if (!failure) return email;
  return (
    <span className={classes.failed}>
      {email}
      <Tag tone="stop">{t('email_failure.tag')}</Tag>
      <span className={classes.reason}>
        {failure.reason
          ? t('email_failure.reason', { at: dateTime(failure.at), reason: failure.reason })
          : t('email_failure.text', { at: dateTime(failure.at) })}
      </span>
    </span>
  );
}
