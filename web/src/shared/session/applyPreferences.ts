import { useEffect, useLayoutEffect, useState } from 'react';
import type { Me } from '../../api/types';
import { getLocale, setLanguage, setLocale, useLocale } from '../../messages/locale';

/** The words of the language that the person chose, which wins over what the browser has. */
export async function applyLanguage({ language }: Me): Promise<void> {
  if (language !== getLocale().language) await setLanguage(language);
}

/** The person's language and clock, for pages outside of the portals. */
export async function applyPreferences(me: Me): Promise<void> {
  setLocale({ timeZone: me.time_zone, dateFormat: me.date_format });
  await applyLanguage(me);
}

/**
 * Sets the clock of a portal, of which this is the only place, and the person's way of writing dates. The answer is whether
 * pages may be drawn: not before their clock is known (`timeZone` is null until then) and set, for what is drawn by another
 * one may stay as it is. When it changes later, what has words is drawn again, and keeps what was typed.
 */
export function useAppliedLocale(me: Me, timeZone: string | null): boolean {
  const locale = useLocale();
  const [drawn, setDrawn] = useState(false);
  const { date_format: dateFormat } = me;
  const isSet = locale.timeZone === timeZone && locale.dateFormat === dateFormat;

  if (isSet && !drawn) setDrawn(true);

  useLayoutEffect(() => {
    if (timeZone === null || isSet) return;
    setLocale({ timeZone, dateFormat });
  }, [timeZone, dateFormat, isSet]);
  // Chosen in another tab or on another device.
  useEffect(() => void applyLanguage(me), [me]);

  return drawn || isSet;
}
