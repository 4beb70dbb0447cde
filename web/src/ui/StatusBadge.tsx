import { Badge } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { ToneName } from '../theme';

type Kind = 'spv' | 'step' | 'profile';

const toneOf: Record<string, ToneName> = {
  pending: 'wait',
  active: 'live',
  processing: 'work',
  in_progress: 'work',
  closed: 'done',
  completed: 'done',
  blocked: 'stop',
  suspended: 'stop',
  cancelled: 'rest',
  on_hold: 'rest',
  archived: 'rest',
};

/** The status in words; the colour only helps. */
export function StatusBadge({ kind, status }: { kind: Kind; status: string }) {
  const { t } = useTranslation('names');
  const tone = toneOf[status] ?? 'rest';
  return (
    <Badge
      vars={() => ({
        root: { '--badge-bg': `var(--spv-tone-${tone}-bg)`, '--badge-color': `var(--spv-tone-${tone}-text)` },
      })}
    >
      {t(`${kind}_status.${status}`)}
    </Badge>
  );
}
