import { useLayoutEffect, useRef, type ReactNode } from 'react';
import classes from './ScrollLog.module.css';

interface Props {
  label: string;
  /** Changes with every new last entry, which scrolls to the end. Entries added above keep the position. */
  newest: string | undefined;
  children: ReactNode;
}

/** Log view that follows its end. */
export function ScrollLog({ label, newest, children }: Props) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = place.current;
    if (element && newest) element.scrollTop = element.scrollHeight;
  }, [newest]);
  return (
    <div ref={place} className={classes.scroll} role="log" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
