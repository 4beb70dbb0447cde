import { Progress } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { percent as words } from '../messages/format';
import classes from './ProgressBar.module.css';

interface Props {
  /** 0 to 100, clamped. */
  percent: number;
  label: string;
}

export function ProgressBar({ percent, label }: Props) {
  const { t } = useTranslation('common');
  const value = Math.min(100, Math.max(0, Math.round(percent)));
  return (
    <div className={classes.row}>
      <Progress.Root className={classes.bar} flex={1}>
        <Progress.Section
          value={value}
          color={value === 100 ? 'var(--spv-part-done)' : 'var(--spv-accent-fill)'}
          aria-label={label}
          aria-valuetext={t('progress', { percent: words(value) })}
        />
      </Progress.Root>
      <span className={classes.number} aria-hidden="true">
        {words(value)}
      </span>
    </div>
  );
}
