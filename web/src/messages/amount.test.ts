import { beforeAll, describe, expect, test, vi } from 'vitest';
import { amountText, amountToWire, decimalText, percentToWire, parseAmount, parsePercent } from './amount';
import { setLocale } from './locale';

beforeAll(() => {
  vi.stubGlobal('document', { documentElement: {} });
  setLocale({ language: 'en-US' });
});

describe('parses amounts as typed', () => {
  test.each([
    ['1250', '1250'],
    [' 1250.5 ', '1250.5'],
    ['1250,5', '1250.5'],
    ['1,250.50', '1250.50'],
    ['1.250,50', '1250.50'],
    ['1 250,00', '1250.00'],
    ['1\u202f250,00', '1250.00'],
    ["1'250.00", '1250.00'],
    ['1,250,000', '1250000'],
    ['1.250.000,5', '1250000.5'],
    ['-3', '-3'],
    ['.5', '0.5'],
  ])('parses %s as %s in either language', (typed, value) => {
    for (const language of ['en-US', 'es'] as const) {
      setLocale({ language });
      expect(parseAmount(typed, 'USD')).toEqual({ kind: 'read', value });
      expect(amountToWire(typed, 'USD')).toBe(value);
    }
    setLocale({ language: 'en-US' });
  });

  test.each([
    ['1.250', 'USD', '1250.00', '1.25'],
    ['1,250', 'USD', '1250.00', '1.25'],
    ['12.500', 'EUR', '12500.00', '12.50'],
    ['100,000', 'USD', '100000.00', '100.00'],
    ['1.001', 'USD', '1001.00', '1.001'],
    ['1,250', 'JPY', '1250', '1.25'],
  ])('ambiguous %s in %s is %s or %s', (typed, currency, grouped, decimal) => {
    expect(parseAmount(typed, currency)).toEqual({ kind: 'ambiguous', grouped, decimal });
    // The server rejects it with a field error.
    expect(amountToWire(typed, currency)).toBe(typed);
  });

  test('a point is decimal where the currency has three decimals', () => {
    expect(parseAmount('1.250', 'KWD')).toEqual({ kind: 'read', value: '1.250' });
    expect(parseAmount('1,250', 'KWD')).toEqual({ kind: 'ambiguous', grouped: '1250.000', decimal: '1.250' });
    expect(parseAmount('1.2500', 'KWD')).toEqual({ kind: 'too_fine', max: 3 });
  });

  test.each([
    ['1.2500', 'USD', 2],
    ['0.070', 'USD', 2],
    ['1250.500', 'USD', 2],
    ['1,250.125', 'USD', 2],
    ['1250.5', 'JPY', 0],
    ['1250.00', 'JPY', 0],
  ])('rejects %s, which has more decimals than %s', (typed, currency, max) =>
    expect(parseAmount(typed, currency)).toEqual({ kind: 'too_fine', max }),
  );

  test.each(['', '.', 'abc', '1e3', '1,250,50', '12,50,00', '1.250.00', '1,250.500,25', '12 50', '$1', '+1'])(
    'rejects “%s”',
    (typed) => expect(parseAmount(typed, 'USD')).toEqual({ kind: 'unreadable' }),
  );
});

test('percentage accepts a decimal comma unless it is ambiguous', () => {
  expect(percentToWire('2,5')).toBe('2.5');
  expect(percentToWire('2.125')).toBe('2.125');
  expect(percentToWire('0,125')).toBe('0.125');
  expect(parsePercent('1,250')).toEqual({ kind: 'ambiguous', grouped: '1250', decimal: '1.25' });
  expect(parsePercent('2.00001')).toEqual({ kind: 'too_fine', max: 4 });
});

test('ambiguous amounts are shown in both readings in the locale', () => {
  expect(decimalText('1250.00')).toBe('1,250.00');
  setLocale({ language: 'es' });
  expect(decimalText('12500.00')).toBe('12.500,00');
  expect(decimalText('1.25')).toBe('1,25');
  setLocale({ language: 'en-US' });
});

test('digits are grouped where that reads as the same amount', () => {
  const cases = [
    ['en-US', '9750', 'USD', '9,750.00'],
    ['en-US', '1250000.5', 'EUR', '1,250,000.50'],
    ['es', '12500', 'EUR', '12.500,00'],
    ['en-US', '1250', 'JPY', '1250'],
    ['en-US', '1250000', 'JPY', '1,250,000'],
    ['en-US', '1.250', 'USD', '1.250'],
    ['en-US', 'many', 'USD', 'many'],
  ] as const;
  for (const [language, typed, currency, text] of cases) {
    setLocale({ language });
    expect(amountText(typed, currency)).toBe(text);
  }
  setLocale({ language: 'en-US' });
});
