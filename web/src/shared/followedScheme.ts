/** Whether an account has set the colour scheme of this device, or whoever sits at it. */
const place = 'spv-scheme-of-account';

export function followsAccount(): boolean {
  try {
    return localStorage.getItem(place) !== null;
  } catch {
    // Storage may be blocked: then nothing is kept of either.
    return false;
  }
}

export function noteFollowed(follows: boolean): void {
  try {
    if (follows) localStorage.setItem(place, 'true');
    else localStorage.removeItem(place);
  } catch {
    // As above.
  }
}
