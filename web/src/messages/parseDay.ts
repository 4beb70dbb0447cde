import { getLocale, type Locale } from './locale';

/** Parses days and times as users type them, to wire format. */

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Whether a wire value is a calendar day. */
export function isDay(value: string): boolean {
  if (!DAY.test(value)) return false;
  const at = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(value);
}

/** "Nov 15, 2026", "15/11/26" or "2026-11-15" as `2026-11-15`; undefined if it is not a day. */
export function parseDay(typed: string, thisYear = new Date().getFullYear()): string | undefined {
  const { language, dateFormat } = getLocale();
  const tokens = fold(typed).match(/\d+|\p{L}+/gu) ?? [];
  const words = tokens.filter((token) => !/\d/.test(token) && token !== 'de' && token !== 't');
  const numbers = tokens.filter((token) => /\d/.test(token));
  if (numbers.length === 0 || numbers.length > 3 || words.length > 1) return undefined;
  const order = wordOrder(numbers, words[0], { language, dateFormat });
  if (!order) return undefined;
  const { year, month, day } = order;
  const full = year === undefined ? thisYear : Number(year) + (year.length <= 2 ? 2000 : 0);
  const wire = `${String(full).padStart(4, '0')}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isDay(wire) ? wire : undefined;
}

/** As [parseDay] with a time: "Nov 15, 2026, 3:30 PM" as `2026-11-15T15:30`. */
export function parseDayTime(typed: string): string | undefined {
  const clock = /(\d{1,2})[:.](\d{2})(?::\d{2})?\s*(?:([ap])\.?\s?m\.?)?\s*$/i.exec(typed);
  if (!clock) return undefined;
  const day = parseDay(typed.slice(0, clock.index));
  const [, hours = '', minutes = '', half] = clock;
  const hour = half ? (Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0) : Number(hours);
  if (!day || hour > 23 || Number(minutes) > 59) return undefined;
  return `${day}T${String(hour).padStart(2, '0')}:${minutes}`;
}

interface Parts {
  year?: string;
  month: string;
  day: string;
}

function wordOrder(
  numbers: string[],
  word: string | undefined,
  { language, dateFormat }: Pick<Locale, 'language' | 'dateFormat'>,
): Parts | undefined {
  const [a = '', b, c] = numbers;
  if (word !== undefined) {
    const month = monthNumber(word, language);
    if (!month || c !== undefined) return undefined;
    return a.length === 4 && b ? { year: a, month, day: b } : { year: b, month, day: a };
  }
  if (b === undefined) return undefined;
  if (a.length === 4) return c === undefined ? undefined : { year: a, month: b, day: c };
  const monthFirst = dateFormat === 'mdy' || (dateFormat === 'auto' && language === 'en-US');
  // Without a year, the format year first is read as month and day.
  const swap = monthFirst || (dateFormat === 'ymd' && c === undefined);
  return swap ? { year: c, month: a, day: b } : { year: c, month: b, day: a };
}

function monthNumber(word: string, language: string): string | undefined {
  if (word.length < 3) return undefined;
  for (let month = 1; month <= 12; month += 1) {
    const at = new Date(Date.UTC(2026, month - 1, 1));
    const called = (['long', 'short'] as const).map((form) =>
      fold(new Intl.DateTimeFormat(language, { month: form, timeZone: 'UTC' }).format(at)),
    );
    if (called.some((name) => name.startsWith(word))) return String(month);
  }
  return undefined;
}

function fold(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}
