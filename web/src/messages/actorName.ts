import type { TFunction } from 'i18next';

const ACTOR_CODE = 'actor:';

/** Name of the user who changed a row, or the localized actor code (`actor:anonymous`). */
export function actorName(t: TFunction, written: string): string {
  if (!written.startsWith(ACTOR_CODE)) return written;
  const kind = written.slice(ACTOR_CODE.length);
  return t(`names:actor.${kind}`, { defaultValue: kind });
}
