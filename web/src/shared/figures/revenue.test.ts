import { beforeAll, expect, test, vi } from 'vitest';
import { setLocale } from '../../messages/locale';
import { type Fees, revenueColumns } from './revenue';

beforeAll(() => {
  vi.stubGlobal('document', { documentElement: {} });
  setLocale({ language: 'en-US' });
});

test('fees have a column per currency, in the table and in the CSV', () => {
  const all: Fees = [
    { currency: 'USD', amount: '1250.00' },
    { currency: 'EUR', amount: '99.90' },
    { currency: 'JPY', amount: '120000' },
  ];
  const words = { header: (currency: string) => `Revenue in ${currency}`, explain: '' };
  const columns = revenueColumns<Fees>(all, (row) => row, words);
  expect(columns.map(({ header }) => header)).toEqual(['Revenue in USD', 'Revenue in EUR', 'Revenue in JPY']);
  const euros: Fees = [{ currency: 'EUR', amount: '99.90' }];
  expect(columns.map(({ plain }) => plain?.(euros))).toEqual(['0', '99.90', '0']);
  expect(columns.map(({ cell }) => cell(euros))).toEqual(['$0.00', '€99.90', '¥0']);
  expect(columns.map(({ total }) => total)).toEqual(['$1,250.00', '€99.90', '¥120,000']);
});
