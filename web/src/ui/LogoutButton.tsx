import { Button } from '@mantine/core';
import { IconLogout } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import classes from './LogoutButton.module.css';

/** Ends the session from any page; on a phone it is a picture with a name. */
export function LogoutButton({ onLogout }: { onLogout: () => void }) {
  const { t } = useTranslation('common');
  return (
    <Button
      className={classes.button}
      variant="subtle"
      color="gray"
      size="compact-sm"
      aria-label={t('logout')}
      onClick={onLogout}
    >
      <IconLogout size={18} stroke={1.5} aria-hidden="true" />
      <span className={classes.words}>&nbsp;{t('logout')}</span>
    </Button>
  );
}
