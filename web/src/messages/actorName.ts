import type { TFunction } from 'i18next';

const code = 'actor:';

/** Who changed a row, as the server wrote it: a name, or the code of an actor without one (`actor:anonymous`). */
export function whoText(t: TFunction, written: string): string {
  if (!written.startsWith(code)) return written;
  const kind = written.slice(code.length);
  return t(`names:actor.${kind}`, { defaultValue: kind });
}
