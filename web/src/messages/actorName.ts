import type { TFunction } from 'i18next';

const ACTOR_CODE = 'actor:';

/** Who changed a row, as the server wrote it: a name, or the code of an actor without one (`actor:anonymous`). */
export function actorName(t: TFunction, written: string): string {
  if (!written.startsWith(ACTOR_CODE)) return written;
  const kind = written.slice(ACTOR_CODE.length);
  return t(`names:actor.${kind}`, { defaultValue: kind });
}
