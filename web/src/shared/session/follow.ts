import type { Me } from '../../api/types';
import { getLocale, setLanguage, setLocale } from '../../messages/locale';

/** How the person wants things shown wins over what the browser has. */
export async function follow(me: Me, timeZone = me.time_zone): Promise<void> {
  if (me.language !== getLocale().language) await setLanguage(me.language);
  setLocale({ timeZone, dateFormat: me.date_format });
}
