import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ToneName } from '../theme';

/** A word on a tone; the colour only helps. */
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
