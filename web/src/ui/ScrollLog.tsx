import { useLayoutEffect, useRef, type ReactNode } from 'react';
import classes from './ScrollLog.module.css';

interface Props {
  label: string;
  /** Changes with every new last entry: then the end is shown. Earlier ones may be added above without moving it. */
  newest: string | undefined;
  children: ReactNode;
}

/** What grows at its end, read from there. */
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
