import { Button } from '@mantine/core';
import { IconLogout } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import classes from './LogoutButton.module.css';

/** Logout button; an icon with a label on a phone. */
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
