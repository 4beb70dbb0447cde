import { Button, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import classes from './StateMessage.module.css';

/** Error state: message and retry. */
export function ErrorState({ message, onRetry }: { message: string; onRetry: () => void }) {
  const { t } = useTranslation('common');
  return (
    <div className={classes.box} role="alert">
      <span className={classes.failed} aria-hidden="true">
        <IconAlertTriangle size={20} stroke={1.75} />
      </span>
      <Text fw={500}>{t('load_failed')}</Text>
      <Text size="sm" c="dimmed" maw={420}>
        {message}
      </Text>
      <div className={classes.action}>
        <Button variant="default" onClick={onRetry}>
          {t('try_again')}
        </Button>
      </div>
    </div>
  );
}
