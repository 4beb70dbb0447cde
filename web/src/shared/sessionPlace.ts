/**
 * Where the auth client keeps its session: local storage, or this tab only when "Remember me" was
 * left unticked. Given to the auth client as its `storage`.
 */
const tabOnly = 'spv-session-in-tab';

const place = () => (sessionStorage.getItem(tabOnly) ? sessionStorage : localStorage);

export const sessionPlace = {
  getItem: (key: string) => place().getItem(key),
  setItem: (key: string, value: string) => place().setItem(key, value),
  removeItem: (key: string) => place().removeItem(key),
};

/** Call before signing in. */
export function rememberSession(remember: boolean) {
  if (remember) sessionStorage.removeItem(tabOnly);
  else sessionStorage.setItem(tabOnly, '1');
}
