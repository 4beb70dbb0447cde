import type { ReactNode } from 'react';
import classes from './ChoiceButton.module.css';

interface Props {
  chosen: boolean;
  onChoose: () => void;
  children: ReactNode;
}

/** One of a few choices in a panel. */
export function ChoiceButton({ chosen, onChoose, children }: Props) {
  return (
    <button type="button" className={classes.choice} aria-pressed={chosen} onClick={onChoose}>
      {children}
    </button>
  );
}
