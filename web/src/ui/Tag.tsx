import { Badge, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ToneName } from '../theme';
import classes from './Tag.module.css';

/** Colored tag; the text carries the meaning. */
export function Tag({ tone, children }: { tone: ToneName; children: ReactNode }) {
  return (
    <Badge
      vars={() => ({
        root: { '--badge-bg': `var(--spv-tone-${tone}-bg)`, '--badge-color': `var(--spv-tone-${tone}-text)` },
      })}
    >
      {children}
    </Badge>
  );
}

/** Status that is reached: words with a dot. */
export function Settled({ tone, children }: { tone: ToneName; children: ReactNode }) {
  return (
    <span className={classes.settled} data-tone={tone}>
      {children}
    </span>
  );
}

/** Status that needs no action: plain text. */
export function Quiet({ children }: { children: ReactNode }) {
  return (
    <Text component="span" size="xs" c="dimmed">
      {children}
    </Text>
  );
}
