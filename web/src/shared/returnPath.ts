/**
 * Where a visitor without a session wanted to go: a guard writes it, the landing page opens the
 * access dialog on it, sign-in goes there. Imports no more than storage: it is part of the first chunk.
 */
import { tabStore } from '../api/browserStorage';

const STORAGE_KEY = 'spv-wanted-path';

/** A path of this site, never another origin: `//host` and `/\host` are not paths, nor with a tab or line break,
 * which browsers leave out, between the two. */
export const isOwnPath = (path: string) => /^\/(?![/\\])[^\t\n\r]*$/.test(path);

export function saveReturnPath(path: string) {
  if (isOwnPath(path)) tabStore.setItem(STORAGE_KEY, path);
}

export function readReturnPath(): string | null {
  const path = tabStore.getItem(STORAGE_KEY);
  return path && isOwnPath(path) ? path : null;
}

export function clearReturnPath() {
  tabStore.removeItem(STORAGE_KEY);
}
