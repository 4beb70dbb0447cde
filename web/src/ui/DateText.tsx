import { Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { relativeTime, date, dateTime } from '../messages/format';

/** Calendar day. */
export function DateText({ day }: { day: string | null | undefined }) {
  return (
    <time className="num" dateTime={day ?? undefined}>
      {date(day)}
    </time>
  );
}

interface Props {
  at: string;
  /** Inside a link or button, which has the keyboard focus. */
  inside?: boolean;
}

/** Relative time, kept current; the exact time on hover, keyboard focus and touch. */
export function RelativeTime({ at, inside = false }: Props) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 30_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <Tooltip label={dateTime(at)} openDelay={300} events={{ hover: true, focus: true, touch: true }}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the tooltip has the exact time */}
      <time className="num" dateTime={at} tabIndex={inside ? undefined : 0}>
        {relativeTime(at)}
      </time>
    </Tooltip>
  );
}
