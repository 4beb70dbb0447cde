import type { ReactNode } from 'react';
import type { ToneName } from '../../theme';
import classes from './StackedBar.module.css';

export interface Part {
  key: string;
  label: string;
  count: number;
  /** Count and share, formatted. */
  text: string;
  share: string;
  tone: ToneName;
}

interface Props {
  parts: Part[];
  /** Wraps a label in a link to the rows it counts. */
  link?: (part: Part) => ReactNode;
  /** A click on a part of the bar; its link in the list is for the keyboard. */
  onPick?: (part: Part) => void;
}

/** Parts of a whole: one bar, and a list in the same order. */
export function StackedBar({ parts, link, onPick }: Props) {
  return (
    <div className={classes.whole}>
      <div className={classes.bar} aria-hidden="true">
        {parts
          .filter(({ count }) => count > 0)
          .map((part) => (
            <i
              key={part.key}
              data-tone={part.tone}
              data-picks={onPick !== undefined || undefined}
              title={`${part.label}: ${part.text}`}
              style={{ flexGrow: part.count }}
              onClick={() => onPick?.(part)}
            />
          ))}
      </div>
      <ul className={classes.parts} aria-hidden={link ? undefined : true}>
        {parts.map((part) => (
          <li key={part.key} data-links={link !== undefined || undefined}>
            <i data-tone={part.tone} aria-hidden="true" />
            <span className={classes.label}>{link ? link(part) : part.label}</span>
            <span className={classes.count}>{part.text}</span>
            <span className={classes.share}>{part.share}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
