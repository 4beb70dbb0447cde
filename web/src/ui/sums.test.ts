import { expect, test } from 'vitest';
import { sumsWithMoney } from './sums';

const usd = { amount: '6570000.00', currency: 'USD' };
const eur = { amount: '1200.00', currency: 'EUR' };

test('a zero never stands for the money in another currency', () => {
  expect(sumsWithMoney([{ amount: '0.00', currency: 'EUR' }, usd], 'EUR')).toEqual([usd]);
});

test('several currencies are listed, the preferred one first', () => {
  expect(sumsWithMoney([usd, eur], 'EUR')).toEqual([eur, usd]);
});

test('without money there is one zero', () => {
  expect(sumsWithMoney([], 'GBP')).toEqual([{ amount: '0', currency: 'GBP' }]);
});
