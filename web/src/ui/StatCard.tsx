import { Card, Skeleton, Text } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import { InfoTooltip } from './InfoTooltip';
import classes from './StatCard.module.css';

interface Props {
  label: string;
  icon: ReactNode;
  /** Undefined while loading. */
  value: ReactNode | undefined;
  /** Line below the value; null or empty reserves its space. */
  hint?: ReactNode;
  /** How it is counted. */
  explain?: string;
}

export function StatCard({ label, icon, value, hint, explain }: Props) {
  return (
    <Card component="section" className={classes.card} aria-label={label}>
      <div className={classes.head}>
        <div>
          <Text component="h2" size="sm" c="dimmed" fw={500} display="inline">
            {label}
          </Text>
          {explain && <InfoTooltip text={explain} />}
        </div>
        <span className={classes.icon} aria-hidden="true">
          {icon}
        </span>
      </div>
      <div className={classes.value} style={textLength(value)}>
        {value === undefined ? <Skeleton height="1lh" width={72} /> : value}
      </div>
      {hint !== undefined && (
        <Text size="xs" c="dimmed" component="div" mih="1lh">
          {hint}
        </Text>
      )}
    </Card>
  );
}

/** Text length to fit: long amounts get a smaller font. */
function textLength(value: ReactNode): CSSProperties | undefined {
  return typeof value === 'string' ? ({ '--signs': value.length } as CSSProperties) : undefined;
}

export function StatRow({ children }: { children: ReactNode }) {
  return <div className={classes.row}>{children}</div>;
}
