import { Card, Skeleton, Text } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import { InfoTooltip } from './InfoTooltip';
import { Sparkline } from './Sparkline';
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
  /** Wraps the label in a link to the rows it counts; the whole card follows it. */
  link?: (label: string) => ReactNode;
  /** Values of the last weeks or months. */
  trend?: number[];
}

export function StatCard({ label, icon, value, hint, explain, link, trend }: Props) {
  return (
    <Card component="section" className={classes.card} aria-label={label} data-links={link && true}>
      <div className={classes.head}>
        <div>
          <Text component="h2" size="sm" c="dimmed" fw={500} display="inline" className={classes.label}>
            {link ? link(label) : label}
          </Text>
          {explain && <InfoTooltip about={label} text={explain} />}
        </div>
        <span className={classes.icon} aria-hidden="true">
          {icon}
        </span>
      </div>
      <div className={classes.figure}>
        <div className={classes.value} style={textLength(value)}>
          {value === undefined ? <Skeleton height="1lh" width={72} /> : value}
        </div>
        {trend && trend.length > 1 && <Sparkline values={trend} />}
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
