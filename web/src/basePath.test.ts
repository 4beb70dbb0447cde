import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { toAppPath } from './basePath';

/** The module in a page that the server sent with this base path. */
async function loadWith(content: string) {
  vi.stubGlobal('location', { origin: 'https://example.com', pathname: '/portal/client-profile' });
  vi.stubGlobal('document', { querySelector: () => ({ content }) });
  return import('./basePath');
}

beforeEach(() => vi.resetModules());
afterEach(() => vi.unstubAllGlobals());

describe('base path', () => {
  test('is put before paths of the app and removed from those of the browser', async () => {
    const { basePath, currentPath, toPublicPath, toPublicUrl } = await loadWith('/portal/');
    expect(basePath).toBe('/portal');
    expect(toPublicPath('/rest/v1/me')).toBe('/portal/rest/v1/me');
    expect(toPublicUrl('/')).toBe('https://example.com/portal/');
    expect(currentPath()).toBe('/client-profile');
  });

  // `./` is what the development server of Vite sends.
  test.each(['/', './'])('is empty for %j', async (content) => {
    const { basePath, currentPath, toPublicUrl } = await loadWith(content);
    expect(basePath).toBe('');
    expect(toPublicUrl('/auth/v1')).toBe('https://example.com/auth/v1');
    expect(currentPath()).toBe('/portal/client-profile');
  });

  test.each([
    ['/portal', '/'],
    ['/portal/', '/'],
    ['/portal/clients', '/clients'],
    ['/portal/portal/x', '/portal/x'],
    ['/portals/clients', undefined],
    ['/', undefined],
  ])('URL path %s is page %s', (pathname, page) => {
    expect(toAppPath(pathname, '/portal')).toBe(page);
    expect(toAppPath(pathname, '')).toBe(pathname);
  });
});
