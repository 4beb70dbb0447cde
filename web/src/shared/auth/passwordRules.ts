/** The rules that can be told before asking the server; it has the last word. */
export const shortest = 8;
export const mostBytes = 72;

export function passwordFault(password: string): 'too_short' | 'too_long' | undefined {
  if (password.length < shortest) return 'too_short';
  if (new TextEncoder().encode(password).length > mostBytes) return 'too_long';
  return undefined;
}
