import { beforeEach, describe, expect, test, vi } from 'vitest';
import { clearReturnPath, isOwnPath, saveReturnPath, readReturnPath } from './returnPath';

describe('internal path', () => {
  test.each(['/', '/client-dashboard', '/employee-dashboard?tab=spvs&q=a%20b#x', '/a//b'])(
    'accepts %j',
    (path) => {
      expect(isOwnPath(path)).toBe(true);
    },
  );

  test.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    '/\r\\evil.example',
    'javascript:alert(1)',
    'client-dashboard',
    ' /client-dashboard',
    '',
  ])('rejects %j', (path) => {
    expect(isOwnPath(path)).toBe(false);
  });

  test('never leaves the site, whatever a browser makes of it', () => {
    const odd = ['/', '\\', '\t', '\n', '\r', ' ', '.', '@', ':', '%2f', '?', '#', 'evil.example'];
    for (const a of odd) {
      for (const b of odd) {
        for (const c of odd) {
          const path = `/${a}${b}${c}`;
          if (isOwnPath(path))
            expect(new URL(path, 'https://portal.example').host, path).toBe('portal.example');
        }
      }
    }
  });
});

describe('return path', () => {
  const kept = new Map<string, string>();
  beforeEach(() => {
    kept.clear();
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => kept.set(key, value),
      removeItem: (key: string) => kept.delete(key),
    });
  });

  test('is kept until cleared', () => {
    expect(readReturnPath()).toBeNull();
    saveReturnPath('/client-dashboard/orders');
    expect(readReturnPath()).toBe('/client-dashboard/orders');
    clearReturnPath();
    expect(readReturnPath()).toBeNull();
  });

  test('is never a page of another site, even if tampered with', () => {
    saveReturnPath('//evil.example');
    expect(readReturnPath()).toBeNull();
    kept.set('spv-wanted-path', 'https://evil.example');
    expect(readReturnPath()).toBeNull();
  });
});
