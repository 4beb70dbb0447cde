import { expect, test, vi } from 'vitest';

vi.mock('../../../api/session', () => ({ auth: {} }));
const { ownPage } = await import('./mailLink');
const origin = 'https://portal.example';

test('a link goes on to a page of ours', () => {
  expect(ownPage('https://portal.example/client-dashboard?x=1', origin)).toBe('/client-dashboard?x=1');
  expect(ownPage('/client-profile', origin)).toBe('/client-profile');
});

test.each([
  null,
  '',
  'https://evil.example/client-dashboard',
  '//evil.example',
  'javascript:alert(1)',
  'https://portal.example/',
  'https://portal.example/auth/confirm?token_hash=x',
])('%j leads to nobody', (address) => {
  expect(ownPage(address, origin)).toBeUndefined();
});
