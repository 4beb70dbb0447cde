import { Badge, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ToneName } from '../theme';

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

/** Status that needs no action: plain text. */
export function Quiet({ children }: { children: ReactNode }) {
  return (
    <Text component="span" size="xs" c="dimmed">
      {children}
    </Text>
  );
}
