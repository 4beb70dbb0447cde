import { CloseButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './BulkBar.module.css';

interface Props {
  count: number;
  /** Sum of the selected rows in each currency. */
  sums?: string[];
  onClear: () => void;
  /** Actions on the selected rows. */
  children: ReactNode;
}

/** Floats over the end of a list while rows are selected: what they add up to, and what can be done with all of them. */
export function BulkBar({ count, sums = [], onClear, children }: Props) {
  const { t } = useTranslation('grid');
  return (
    <div className={classes.place}>
      <div className={classes.bar} role="region" aria-label={t('selection')}>
        <span className={`${classes.text} num`} aria-live="polite">
          {[t('selected', { count }), ...sums].join(' · ')}
        </span>
        <div className={classes.actions}>{children}</div>
        <CloseButton aria-label={t('clear_selection')} onClick={onClear} />
      </div>
    </div>
  );
}
