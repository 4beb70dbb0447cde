/** Length in characters of the NFC form, as on the server. */
export const MAX_PASSWORD_LENGTH = 128;

export function passwordError(password: string, shortest: number): 'too_short' | 'too_long' | undefined {
  const characters = Array.from(password.normalize('NFC')).length;
  if (characters < shortest) return 'too_short';
  if (characters > MAX_PASSWORD_LENGTH) return 'too_long';
  return undefined;
}
