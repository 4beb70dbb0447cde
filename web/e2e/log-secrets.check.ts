/** After the last story: no server has logged anything secret, in any of them. */
import { expect, test } from '@playwright/test';
import { readRecording, findLeaks, type Secret } from './support/secretScan';

test('no server log contains a password, token, code or link', async () => {
  const kept = await readRecording();
  const count = (what: string) => kept.secrets.filter((secret: Secret) => secret.what === what).length;
  // It would be no news if nothing had been listened to.
  expect(kept.lines.length).toBeGreaterThan(0);
  expect(count('password') + count('access_token')).toBeGreaterThan(0);
  // The looking itself works.
  const [any] = kept.secrets;
  expect(findLeaks({ secrets: kept.secrets, lines: [`somebody said ${any?.value}`] })).not.toEqual([]);
  expect(findLeaks(kept)).toEqual([]);
});
