import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { BusyButton } from '../../ui/BusyButton';
import classes from './SaveBar.module.css';

interface Props {
  /** Number of changed fields. */
  changes: number;
  busy: boolean;
  saveLabel: string;
  onDiscard: () => void;
  /** Further buttons. */
  children?: ReactNode;
}

/** End of a form: what is not saved yet, with Discard and Save. Stays in view while there are changes. */
export function SaveBar({ changes, busy, saveLabel, onDiscard, children }: Props) {
  const { t } = useTranslation('common');
  return (
    <div className={classes.bar} data-bottom-bar={changes > 0 || undefined}>
      <span className={classes.count} role="status">
        {changes > 0 && t('unsaved', { count: changes })}
      </span>
      {children}
      {changes > 0 && (
        <Button variant="default" disabled={busy} onClick={onDiscard}>
          {t('discard_yes')}
        </Button>
      )}
      <BusyButton
        type="submit"
        busy={busy}
        disabled={changes === 0}
        label={saveLabel}
        busyLabel={t('saving')}
      />
    </div>
  );
}
