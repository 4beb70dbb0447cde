import { describe, expect, test, vi } from 'vitest';

vi.mock('../../../api/session', () => ({ auth: {} }));
const began = vi.hoisted(() => ({ here: false }));
vi.mock('../../../api/sessionStorage', () => ({ hasPendingFlow: () => began.here }));
const { internalPath, readMailLink } = await import('./mailLink');
const origin = 'https://portal.example';

test('mail link continues to an internal page', () => {
  expect(internalPath('https://portal.example/client-dashboard?x=1', origin)).toBe('/client-dashboard?x=1');
  expect(internalPath('/client-profile', origin)).toBe('/client-profile');
});

test.each([
  null,
  '',
  'https://evil.example/client-dashboard',
  '//evil.example',
  'javascript:alert(1)',
  'https://portal.example/',
  'https://portal.example/auth/confirm?token_hash=x',
])('%j is no internal page', (address) => {
  expect(internalPath(address, origin)).toBeUndefined();
});

describe('mail link', () => {
  const read = (search: string, hash = '') => {
    vi.stubGlobal('location', { search, hash, origin });
    return readMailLink('recovery');
  };

  test('is used where it is opened', () => {
    expect(read('?token_hash=abc&type=magiclink')).toMatchObject({
      tokenHash: 'abc',
      type: 'magiclink',
      otherBrowser: false,
      redirects: false,
      failed: false,
    });
  });

  test('with PKCE returns to this browser and is unusable in another', () => {
    const pkce = '?token_hash=pkce_abc&type=recovery&redirect_to=https://portal.example/auth/reset-password';
    began.here = true;
    expect(read(pkce)).toMatchObject({ otherBrowser: false, redirects: true });
    began.here = false;
    expect(read(pkce)).toMatchObject({ otherBrowser: true, redirects: false });
  });

  test('of another program redirects there', () => {
    const foreign = '?token_hash=pkce_abc&type=magiclink&redirect_to=https://app.example/in';
    expect(read(foreign)).toMatchObject({ otherBrowser: false, redirects: true, next: undefined });
    for (const type of ['magiclink', 'recovery', 'signup', 'email_change'])
      for (const token of ['abc', 'pkce_abc']) {
        const link = `?token_hash=${token}&type=${type}&redirect_to=https://app.example/in`;
        expect(read(link), link).toMatchObject({ otherBrowser: false, redirects: true });
      }
  });

  test('for an email change is used in any browser', () => {
    expect(read('?token_hash=pkce_abc&type=email_change')).toMatchObject({
      otherBrowser: false,
      redirects: false,
    });
  });

  test('is expired when the query or fragment has an error', () => {
    expect(read('?error_code=otp_expired').failed).toBe(true);
    expect(read('', '#error=access_denied&error_code=otp_expired').failed).toBe(true);
  });
});
