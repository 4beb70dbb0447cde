import { Button, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './states.module.css';

interface EmptyProps {
  icon: ReactNode;
  title: string;
  text?: ReactNode;
  action?: ReactNode;
}

/** Nothing there yet: one sentence and at most one thing to do. */
export function EmptyState({ icon, title, text, action }: EmptyProps) {
  return (
    <div className={classes.box}>
      <span className={classes.icon} aria-hidden="true">
        {icon}
      </span>
      <Text fw={500}>{title}</Text>
      {text && (
        <Text size="sm" c="dimmed" maw={420}>
          {text}
        </Text>
      )}
      {action && <div className={classes.action}>{action}</div>}
    </div>
  );
}

/** What failed, in the server's words, and a way to try again. */
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
