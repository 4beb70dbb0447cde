import { describe, expect, test } from 'vitest';
import type { Me, Role } from '../../../api/types';
import type { Portal } from '../../../paths';
import { postSignInPath, denialReason } from './portalAccess';

function person(role: Role, more: Partial<Me> = {}): Me {
  return { role, company: null, iso: null, ...more } as Me;
}
const named = { id: '1', name: 'Meridian' };

describe('a portal', () => {
  const admitted: [Portal, Me][] = [
    ['client', person('client')],
    ['employee', person('employee')],
    ['employee', person('super_admin')],
    ['iso', person('iso', { iso: named })],
    ['company', person('company_admin', { company: named })],
    ['company', person('super_admin')],
  ];
  test.each(admitted)('%s lets its people in', (portal, me) => {
    expect(denialReason(portal, me)).toBeUndefined();
  });

  test('turns everybody else away with its own words', () => {
    expect(denialReason('client', person('employee'))).toBe('client');
    expect(denialReason('iso', person('iso'))).toBe('iso');
    expect(denialReason('company', person('company_admin'))).toBe('no_company');
    expect(denialReason('employee', person('company_admin', { company: named }))).toBe('employee');
  });
});

describe('after signing in', () => {
  test('the page that was asked for opens', () => {
    expect(postSignInPath('employee', person('super_admin'), '/admin-dashboard/users')).toBe(
      '/admin-dashboard/users',
    );
    expect(postSignInPath('client', person('client'), '/help')).toBe('/help');
  });

  test('a page of another portal is forgotten', () => {
    expect(postSignInPath('client', person('client'), '/admin-dashboard')).toBe('/client-dashboard');
    expect(postSignInPath('employee', person('employee'), '/admin-dashboard?x=1')).toBe('/employee-dashboard');
  });
});
