/**
 * Return path: page requested without a session. A guard saves it, the landing page opens the access dialog, sign-in
 * returns to it. Imports only storage, because it is in the first chunk.
 */
import { tabStore } from '../api/browserStorage';

const STORAGE_KEY = 'spv-wanted-path';

/**
 * Whether a path is internal. Rejects `//host` and `/\host`, also with a tab or line break between, which browsers drop
 * (open redirect).
 */
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
