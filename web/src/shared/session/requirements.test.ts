import { describe, expect, test } from 'vitest';
import { paths } from '../../paths';
import { afterwards, before, nextStep } from './requirements';

describe('what is due', () => {
  test('is shown before it is changed, and changed before something is added', () => {
    expect(nextStep({ must_change_password: true, mfa: { due: 'challenge' } })).toBe(paths.mfa);
    expect(nextStep({ must_change_password: true, mfa: { due: 'enrol' } })).toBe(paths.newPassword);
    expect(nextStep({ must_change_password: false, mfa: { due: 'enrol' } })).toBe(paths.mfaSetup);
  });

  test('is nothing for everybody else', () => {
    expect(nextStep({ must_change_password: false, mfa: { due: null } })).toBeUndefined();
  });
});

describe('the way on', () => {
  test('survives a step with its query', () => {
    const step = before(paths.mfa, '/employee-dashboard?tab=spvs&spv=1');
    expect(afterwards(new URL(step, 'https://portal.example').search)).toBe(
      '/employee-dashboard?tab=spvs&spv=1',
    );
  });

  test.each([
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/auth/mfa',
    '',
  ])('does not lead to %j', (next) => {
    expect(afterwards(`?next=${encodeURIComponent(next)}`)).toBeUndefined();
  });
});
