/** Whether the color scheme of this device was set by an account. */
import { browserStore } from '../api/browserStorage';

const STORAGE_KEY = 'spv-scheme-of-account';

export function followsAccount(): boolean {
  return browserStore.getItem(STORAGE_KEY) !== null;
}

export function setFollowsAccount(follows: boolean): void {
  if (follows) browserStore.setItem(STORAGE_KEY, 'true');
  else browserStore.removeItem(STORAGE_KEY);
}
