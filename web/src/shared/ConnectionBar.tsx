import { IconWifiOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { connection, useConnection } from '../api/connection';
import classes from './ConnectionBar.module.css';

/** Banner while the connection is lost; the session is kept. */
export function ConnectionBar() {
  const { t } = useTranslation('common');
  const connected = useConnection();
  return (
    <div aria-live="polite" className={classes.place}>
      {!connected && (
        <div className={classes.bar}>
          <IconWifiOff size={16} stroke={1.75} aria-hidden="true" />
          <p>
            <strong>{t('connection.lost')}</strong> {t('connection.lost_text')}
          </p>
          <button type="button" onClick={connection.retry}>
            {t('connection.retry')}
          </button>
        </div>
      )}
    </div>
  );
}
