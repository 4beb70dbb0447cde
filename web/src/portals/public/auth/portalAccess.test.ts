import { describe, expect, test } from 'vitest';
import type { Me, Role } from '../../../api/types';
import type { Portal } from '../../../paths';
import { postSignInPath, denialReason } from './portalAccess';

function person(role: Role, more: Partial<Me> = {}): Me {
  return { role, company: null, iso: null, ...more } as Me;
}
const named = { id: '1', name: 'Meridian' };

describe('portal access', () => {
  const admitted: [Portal, Me][] = [
    ['client', person('client')],
    ['employee', person('employee')],
    ['employee', person('super_admin')],
    ['iso', person('iso', { iso: named })],
    ['company', person('company_admin', { company: named })],
    ['company', person('super_admin')],
  ];
  test.each(admitted)('%s admits its roles', (portal, me) => {
    expect(denialReason(portal, me)).toBeUndefined();
  });

  test('denies other roles with a reason per portal', () => {
    expect(denialReason('client', person('employee'))).toBe('client');
    expect(denialReason('iso', person('iso'))).toBe('iso');
    expect(denialReason('company', person('company_admin'))).toBe('no_company');
    expect(denialReason('employee', person('company_admin', { company: named }))).toBe('employee');
  });
});

describe('after sign-in', () => {
  test('opens the requested page', () => {
    expect(postSignInPath('employee', person('super_admin'), '/admin-dashboard/users')).toBe(
      '/admin-dashboard/users',
    );
    expect(postSignInPath('client', person('client'), '/help')).toBe('/help');
  });

  test('ignores a page of another portal', () => {
    expect(postSignInPath('client', person('client'), '/admin-dashboard')).toBe('/client-dashboard');
    expect(postSignInPath('employee', person('employee'), '/admin-dashboard?x=1')).toBe(
      '/employee-dashboard',
    );
  });
});
