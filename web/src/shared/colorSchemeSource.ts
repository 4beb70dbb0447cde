/** Whether an account has set the colour scheme of this device, or whoever sits at it. */
import { browserStore } from '../api/browserStorage';

const place = 'spv-scheme-of-account';

export function followsAccount(): boolean {
  return browserStore.getItem(place) !== null;
}

export function noteFollowed(follows: boolean): void {
  if (follows) browserStore.setItem(place, 'true');
  else browserStore.removeItem(place);
}
