import { beforeAll, describe, expect, test, vi } from 'vitest';
import { date, dateTime } from './format';
import { type DateFormat, type Language, setLocale } from './locale';
import { isDay, parseDay, parseDayTime } from './parseDay';

beforeAll(() => vi.stubGlobal('document', { documentElement: {} }));

const locale = (language: Language, dateFormat: DateFormat = 'auto') =>
  setLocale({ language, dateFormat, timeZone: 'UTC' });

test.each([
  ['en-US', '2026-11-15', '2026-11-15'],
  ['en-US', '11/15/2026', '2026-11-15'],
  ['en-US', '1/5/26', '2026-01-05'],
  ['en-US', 'nov 15', '2027-11-15'],
  ['en-US', 'November 15, 2026', '2026-11-15'],
  ['en-GB', '15/11/2026', '2026-11-15'],
  ['en-GB', '15 Sept 2026', '2026-09-15'],
  ['es', '15.11.2026', '2026-11-15'],
  ['es', '15 de noviembre de 2026', '2026-11-15'],
  ['es', '3 ene 2026', '2026-01-03'],
] as const)('%s reads %s', (language, typed, day) => {
  locale(language);
  expect(parseDay(typed, 2027)).toBe(day);
});

test.each(['', '2026', 'soon', '13/40/2026', '2026-02-30', 'nov', '1 2 3 4', 'ma 3'])(
  '%s is not a day',
  (typed) => {
    locale('en-US');
    expect(parseDay(typed)).toBeUndefined();
  },
);

describe.each(['en-US', 'en-GB', 'es'] as const)('%s', (language) => {
  test.each(['auto', 'mdy', 'dmy', 'ymd'] as const)('reads what the format %s writes', (format) => {
    locale(language, format);
    for (const day of ['2026-01-09', '2026-05-31', '2026-09-12', '2026-12-01']) {
      expect(parseDay(date(day))).toBe(day);
      expect(parseDayTime(dateTime(`${day}T15:30:00Z`))).toBe(`${day}T15:30`);
      expect(parseDayTime(`${day}T15:30`)).toBe(`${day}T15:30`);
    }
  });
});

test('dates are distinguished from other text', () => {
  expect(isDay('2026-02-28')).toBe(true);
  expect(isDay('2026-02-30')).toBe(false);
  expect(isDay('tomorrow')).toBe(false);
});
