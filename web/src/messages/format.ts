import { getLocale } from './locale';

/** Every date, amount and number a person reads is written here, in their locale and time zone. */

const NO_VALUE = '—';

/** A date as the person wants it written. */
function dateOptions(at: Date, timeZone: string): string {
  const { language, dateFormat } = getLocale();
  if (dateFormat === 'auto') {
    return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone }).format(at);
  }
  const numeric = { year: 'numeric', month: '2-digit', day: '2-digit', timeZone } as const;
  const parts = new Intl.DateTimeFormat('en-US', numeric).formatToParts(at);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
  const [year, month, day] = [part('year'), part('month'), part('day')];
  if (dateFormat === 'mdy') return `${month}/${day}/${year}`;
  return dateFormat === 'dmy' ? `${day}/${month}/${year}` : `${year}-${month}-${day}`;
}

export function date(day: string | null | undefined): string {
  if (!day) return NO_VALUE;
  // A calendar day has no zone: it is formatted in the one it was parsed in.
  return dateOptions(new Date(`${day}T00:00:00Z`), 'UTC');
}

/** "Nov 16": for the scales of charts, whose tables have the whole date. */
export function shortDate(day: string): string {
  const options = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(getLocale().language, options).format(new Date(`${day}T00:00:00Z`));
}

/** The day that an instant was in the person's zone, as the wire writes days. */
export function localDay(instant: string): string {
  return todayInUserZone(new Date(instant));
}

export function dateTime(instant: string | null | undefined): string {
  if (!instant) return NO_VALUE;
  const { language, timeZone, dateFormat } = getLocale();
  const at = new Date(instant);
  if (dateFormat === 'auto') {
    return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(
      at,
    );
  }
  const time = new Intl.DateTimeFormat(language, { timeStyle: 'short', timeZone }).format(at);
  return `${dateOptions(at, timeZone)}, ${time}`;
}

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** "5 minutes ago" within a week, the date beyond. */
export function relativeTime(instant: string, now = Date.now()): string {
  const { language, timeZone } = getLocale();
  const at = new Date(instant);
  const seconds = Math.round((at.getTime() - now) / 1000);
  if (Math.abs(seconds) > 7 * 86_400) {
    return dateOptions(at, timeZone);
  }
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second' as const, 0];
  return size === 0 ? relative.format(0, 'second') : relative.format(Math.trunc(seconds / size), unit);
}

/** "tomorrow", "in 3 days". */
export function relativeDays(days: number): string {
  return new Intl.RelativeTimeFormat(getLocale().language, { numeric: 'auto' }).format(days, 'day');
}

/** The exact amount. Intl takes the decimal string itself, so no digit goes through a float. */
export function money(amount: string | null | undefined, currency: string): string {
  if (amount === null || amount === undefined) return NO_VALUE;
  const { language } = getLocale();
  return new Intl.NumberFormat(language, { style: 'currency', currency }).format(
    amount as Intl.StringNumericLiteral,
  );
}

/** "$1.3M" or "$12.5K": for cards, always beside the exact amount. */
export function compactMoney(amount: string, currency: string, scale: 'millions' | 'thousands'): string {
  const { language } = getLocale();
  const options = {
    style: 'currency',
    currency,
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  } as const;
  const scaled = Number(amount) / (scale === 'millions' ? 1_000_000 : 1_000);
  const letter = scale === 'millions' ? 'M' : 'K';
  const parts = new Intl.NumberFormat(language, options).formatToParts(scaled);
  const lastDigit = parts.findLastIndex((part) => part.type === 'fraction' || part.type === 'integer');
  return parts.map((part, index) => (index === lastDigit ? part.value + letter : part.value)).join('');
}

/** "Nov" or "November 2026" of "2026-11". */
export function month(name: string, form: 'short' | 'long' = 'long'): string {
  const options =
    form === 'short' ? ({ month: 'short' } as const) : ({ month: 'long', year: 'numeric' } as const);
  const at = new Date(`${name}-01T00:00:00Z`);
  return new Intl.DateTimeFormat(getLocale().language, { ...options, timeZone: 'UTC' }).format(at);
}

/** "1.2M": for the scales of charts, which nobody reads exactly. */
export function compact(value: number): string {
  return new Intl.NumberFormat(getLocale().language, { notation: 'compact' }).format(value);
}

export function number(value: number): string {
  return new Intl.NumberFormat(getLocale().language).format(value);
}

export function percent(value: number | string | null | undefined): string {
  if (value === null || value === undefined) return NO_VALUE;
  const options = { style: 'percent', maximumFractionDigits: 4 } as const;
  return new Intl.NumberFormat(getLocale().language, options).format(Number(value) / 100);
}

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined) return NO_VALUE;
  const step = value < 1 ? 0 : Math.min(Math.floor(Math.log10(value) / 3), byteUnits.length - 1);
  const options = {
    style: 'unit',
    unit: byteUnits[step],
    // The short form of a byte has no plural.
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  } as const;
  return new Intl.NumberFormat(getLocale().language, options).format(value / 1000 ** step);
}

/** Today in the person's zone, as the wire wants it: defaults of forms, names of files. */
export function todayInUserZone(now = new Date()): string {
  return dayInZone(getLocale().timeZone, now);
}

/** Today in the office's zone: deadlines, dates of payments and payouts. */
export function todayInOfficeZone(now = new Date()): string {
  return dayInZone(getLocale().officeTimeZone, now);
}

function dayInZone(timeZone: string, at: Date): string {
  const options = { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  return new Intl.DateTimeFormat('en-CA', options).format(at);
}

/** What a `datetime-local` field says, as the instant it is in a zone. */
export function localTimeToInstant(local: string, timeZone: string): string {
  const asUtc = Date.parse(`${local}Z`);
  const shown = (at: number) => {
    const parts = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    }).formatToParts(new Date(at));
    const part = (type: string) => parts.find((one) => one.type === type)?.value ?? '';
    return Date.parse(`${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}Z`);
  };
  // Twice: the first step may have crossed a change of the clocks.
  const first = asUtc - (shown(asUtc) - asUtc);
  return new Date(first - (shown(first) - asUtc)).toISOString();
}
