import { Text, Title } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import classes from './PageHeader.module.css';

interface Props {
  title: string;
  text?: ReactNode;
  actions?: ReactNode;
  /** Back link above the title. */
  back?: ReactNode;
}

export function PageHeader({ title, text, actions, back }: Props) {
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <header className={classes.header}>
      <div className={classes.words}>
        {back && <div className={classes.back}>{back}</div>}
        <Title order={1}>{title}</Title>
        {text && (
          <Text c="dimmed" size="sm" component="div">
            {text}
          </Text>
        )}
      </div>
      {actions && <div className={classes.actions}>{actions}</div>}
    </header>
  );
}
