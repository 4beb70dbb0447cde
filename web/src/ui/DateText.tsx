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

/** Relative time, kept current; exact time in the tooltip. */
export function RelativeTime({ at }: { at: string }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 30_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <Tooltip label={dateTime(at)}>
      <time className="num" dateTime={at}>
        {relativeTime(at)}
      </time>
    </Tooltip>
  );
}
