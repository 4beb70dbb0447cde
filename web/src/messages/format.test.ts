import { beforeAll, expect, test, vi } from 'vitest';
import {
  relativeTime,
  bytes,
  date,
  dateTime,
  money,
  todayInOfficeZone,
  percent,
  todayInUserZone,
  compactMoney,
} from './format';
import { setLocale } from './locale';

beforeAll(() => {
  vi.stubGlobal('document', { documentElement: {} });
  setLocale({ language: 'en-US', timeZone: 'America/New_York' });
});

test('calendar day is not shifted by the time zone', () => {
  expect(date('2026-01-31')).toBe('Jan 31, 2026');
});

test('dates follow the date format preference', () => {
  for (const [dateFormat, day, at] of [
    ['mdy', '01/31/2026', '01/31/2026, 7:00 AM'],
    ['dmy', '31/01/2026', '31/01/2026, 7:00 AM'],
    ['ymd', '2026-01-31', '2026-01-31, 7:00 AM'],
  ] as const) {
    setLocale({ dateFormat });
    expect(date('2026-01-31')).toBe(day);
    expect(dateTime('2026-01-31T12:00:00Z').replace(/\s(?=[AP]M)/, ' ')).toBe(at);
  }
  setLocale({ dateFormat: 'auto' });
});

test('amount keeps every digit', () => {
  expect(money('9007199254740993.01', 'USD')).toBe('$9,007,199,254,740,993.01');
  expect(money(null, 'USD')).toBe('—');
});

test('compact amounts have one decimal', () => {
  expect(compactMoney('1250000.00', 'USD', 'millions')).toBe('$1.3M');
  expect(compactMoney('0.00', 'USD', 'millions')).toBe('$0.0M');
  expect(compactMoney('12480.00', 'USD', 'thousands')).toBe('$12.5K');
});

test('percentages and byte sizes', () => {
  expect(percent('2.5')).toBe('2.5%');
  expect(bytes(847_000_000_000)).toBe('847 GB');
  expect(bytes(null)).toBe('—');
});

test('relative times', () => {
  const now = Date.parse('2026-01-31T12:00:00Z');
  expect(relativeTime('2026-01-31T11:58:10Z', now)).toBe('1 minute ago');
  expect(relativeTime('2026-01-31T11:59:50Z', now)).toBe('now');
});

test('today follows the user or office time zone', () => {
  const at = new Date('2026-12-12T01:30:00Z');
  setLocale({ timeZone: 'Pacific/Kiritimati', officeTimeZone: 'America/Los_Angeles' });
  expect(todayInUserZone(at)).toBe('2026-12-12');
  expect(todayInOfficeZone(at)).toBe('2026-12-11');
  setLocale({ timeZone: 'Pacific/Honolulu', officeTimeZone: 'Pacific/Kiritimati' });
  expect(todayInUserZone(at)).toBe('2026-12-11');
  expect(todayInOfficeZone(at)).toBe('2026-12-12');
  setLocale({ timeZone: 'America/New_York' });
});
