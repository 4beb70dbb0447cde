/** Secrets in logs: no server of the whole run logged a password, token, code or link. */
import { expect, test } from '@playwright/test';
import { readRecording, findLeaks, type Secret } from './support/secretScan';

test('no server log contains a password, token, code or link', async () => {
  const kept = await readRecording();
  const count = (what: string) => kept.secrets.filter((secret: Secret) => secret.what === what).length;
  // Guards against an empty recording.
  expect(kept.lines.length).toBeGreaterThan(0);
  expect(count('password') + count('access_token')).toBeGreaterThan(0);
  // Guards against a search that never matches.
  const [any] = kept.secrets;
  expect(findLeaks({ secrets: kept.secrets, lines: [`somebody said ${any?.value}`] })).not.toEqual([]);
  expect(findLeaks(kept)).toEqual([]);
});
