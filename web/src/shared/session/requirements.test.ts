import { describe, expect, test } from 'vitest';
import { paths } from '../../paths';
import { returnTo, withReturnTo, nextRequirement } from './requirements';

describe('next requirement', () => {
  test('is MFA, then the password change, then enrolment', () => {
    expect(nextRequirement({ must_change_password: true, mfa: { due: 'challenge' } })).toBe(paths.mfa);
    expect(nextRequirement({ must_change_password: true, mfa: { due: 'enrol' } })).toBe(paths.newPassword);
    expect(nextRequirement({ must_change_password: false, mfa: { due: 'enrol' } })).toBe(paths.mfaSetup);
  });

  test('is undefined otherwise', () => {
    expect(nextRequirement({ must_change_password: false, mfa: { due: null } })).toBeUndefined();
  });
});

describe('return path of a requirement', () => {
  test('keeps its query', () => {
    const step = withReturnTo(paths.mfa, '/employee-dashboard?tab=spvs&spv=1');
    expect(returnTo(new URL(step, 'https://portal.example').search)).toBe(
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
  ])('rejects %j as return path', (next) => {
    expect(returnTo(`?next=${encodeURIComponent(next)}`)).toBeUndefined();
  });
});
