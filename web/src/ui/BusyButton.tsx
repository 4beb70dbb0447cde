import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentProps } from 'react';
import classes from './BusyButton.module.css';

type Props = ButtonProps &
  Omit<ComponentProps<'button'>, keyof ButtonProps | 'children'> & {
    busy: boolean;
    label: string;
    busyLabel: string;
  };

/** Button with a busy label at constant width. */
export function BusyButton({ busy, label, busyLabel, disabled, ...rest }: Props) {
  return (
    <Button {...rest} disabled={disabled || busy} aria-busy={busy}>
      <span className={classes.stack} data-icon={rest.leftSection ? true : undefined}>
        <span data-hidden={busy} aria-hidden={busy}>
          {label}
        </span>
        <span data-hidden={!busy} aria-hidden={!busy}>
          {busyLabel}
        </span>
      </span>
    </Button>
  );
}
