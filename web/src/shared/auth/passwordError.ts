/** As the server counts them: characters of the composed form (NFC). */
export const longestPassword = 128;

export function passwordFault(password: string, shortest: number): 'too_short' | 'too_long' | undefined {
  const characters = Array.from(password.normalize('NFC')).length;
  if (characters < shortest) return 'too_short';
  if (characters > longestPassword) return 'too_long';
  return undefined;
}
