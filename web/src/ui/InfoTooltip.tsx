import { Tooltip } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import classes from './InfoTooltip.module.css';

/** Info icon with a tooltip, accessible by pointer, touch, keyboard and screen reader. */
export function InfoTooltip({ text }: { text: string }) {
  return (
    <Tooltip label={text} multiline maw={280} events={{ hover: true, focus: true, touch: true }}>
      <span className={classes.sign} role="img" aria-label={text} tabIndex={0}>
        <IconInfoCircle size={14} aria-hidden="true" />
      </span>
    </Tooltip>
  );
}
