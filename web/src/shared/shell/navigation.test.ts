import { IconFolder } from '@tabler/icons-react';
import { expect, test } from 'vitest';
import { activeItem, type NavItem } from './navigation';

const item = (to: string, more: Partial<NavItem> = {}): NavItem => ({
  to,
  label: to,
  icon: IconFolder,
  ...more,
});

const items = [
  item('/desk', { exact: true }),
  item('/desk/spvs', { covers: ['/desk/orders'] }),
  item('/desk/commissions'),
  item('/desk/commissions/payouts'),
  item('/requests'),
];
const active = (path: string) => activeItem(items, path)?.to;

test('pages below a list light its entry', () => {
  expect(active('/desk/spvs')).toBe('/desk/spvs');
  expect(active('/desk/orders/1')).toBe('/desk/spvs');
  expect(active('/requests/7')).toBe('/requests');
});

test('the longest prefix wins', () => {
  expect(active('/desk/commissions/payouts/3')).toBe('/desk/commissions/payouts');
  expect(active('/desk/commissions/statement')).toBe('/desk/commissions');
});

test('an exact entry covers its own page only', () => {
  expect(active('/desk/')).toBe('/desk');
  expect(active('/desk/other')).toBeUndefined();
  expect(active('/desk/ordersets')).toBeUndefined();
});

test('a query of the link is not part of its path', () => {
  expect(activeItem([item('/company?company=1')], '/company')?.to).toBe('/company?company=1');
});
