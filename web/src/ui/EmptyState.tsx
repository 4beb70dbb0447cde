import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './StateMessage.module.css';

interface EmptyProps {
  icon: ReactNode;
  title: string;
  text?: ReactNode;
  action?: ReactNode;
}

/** Empty state: a sentence and at most one action. */
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
