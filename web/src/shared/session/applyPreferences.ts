import { useEffect, useLayoutEffect, useState } from 'react';
import type { Me } from '../../api/types';
import { getLocale, setLanguage, setLocale } from '../../messages/locale';
import { useLocale } from '../../messages/useLocale';

/** Applies the language of the user over the browser language. */
export async function applyLanguage({ language }: Me): Promise<void> {
  if (language !== getLocale().language) await setLanguage(language);
}

/** Applies language, time zone and date format outside of portals. */
export async function applyPreferences(me: Me): Promise<void> {
  setLocale({ timeZone: me.time_zone, dateFormat: me.date_format });
  await applyLanguage(me);
}

/**
 * Applies the portal time zone (the only place that sets it) and date format. Returns whether pages may render: not
 * before the zone is known (`timeZone` is null until then) and applied, because memoized output would keep the old one.
 * Later changes rerender texts and keep input.
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
  // Changed in another tab or device.
  useEffect(() => void applyLanguage(me), [me]);

  return drawn || isSet;
}
