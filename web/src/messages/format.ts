import { fractionDigits } from './amount';
import { getLocale } from './locale';

/** Formatting of dates, amounts and numbers in the locale and time zone of the user. */

const NO_VALUE = '—';

/** Intl options of the date format preference. */
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
  // Calendar days have no zone: parsed and formatted in UTC.
  return dateOptions(new Date(`${day}T00:00:00Z`), 'UTC');
}

/** "Nov 16", for chart axes. */
export function shortDate(day: string): string {
  const options = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(getLocale().language, options).format(new Date(`${day}T00:00:00Z`));
}

/** "Nov 16" within half a year of today, otherwise with its year. */
export function nearDate(day: string, today = todayInUserZone()): string {
  const days = Math.abs(Date.parse(day) - Date.parse(today)) / 86_400_000;
  return days < 183 ? shortDate(day) : date(day);
}

/** Day of an instant in the zone of the user, in wire format. */
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

/** The value of a date and time field, `2026-11-15T15:30`, which has no zone. */
export function localDateTime(local: string): string {
  return `${date(local.slice(0, 10))}, ${clockTime(local.slice(11, 16))}`;
}

/** "3:30 PM" for `15:30`. */
export function clockTime(clock: string): string {
  const options = { timeStyle: 'short', timeZone: 'UTC' } as const;
  return new Intl.DateTimeFormat(getLocale().language, options).format(new Date(`2026-01-01T${clock}Z`));
}

/** "Jan 1 – Mar 31, 2026"; empty without days. */
export function dateRange(from: string | null | undefined, to: string | null | undefined): string {
  const { language, dateFormat } = getLocale();
  if (from && to && dateFormat === 'auto') {
    const options = { dateStyle: 'medium', timeZone: 'UTC' } as const;
    const [first, last] = [from, to].map((day) => new Date(`${day}T00:00:00Z`)) as [Date, Date];
    return new Intl.DateTimeFormat(language, options).formatRange(first, last);
  }
  return from || to ? `${from ? date(from) : '…'} – ${to ? date(to) : '…'}` : '';
}

/** Calendar day some days after another, in wire format. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** Relative time within a week ("5 minutes ago"), otherwise the date. */
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

/** Exact amount. Intl formats the decimal string, so no precision is lost in a float. */
export function money(amount: string | null | undefined, currency: string): string {
  if (amount === null || amount === undefined) return NO_VALUE;
  const { language } = getLocale();
  const digits = fractionDigits(currency);
  const options = {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  } as const;
  return new Intl.NumberFormat(language, options).format(amount as Intl.StringNumericLiteral);
}

/** Compact amount ("$1.3M", "$12.5K") for cards, always beside the exact one. */
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

/** "Nov" or "November 2026" for "2026-11". */
export function month(name: string, form: 'short' | 'long' = 'long'): string {
  const options =
    form === 'short' ? ({ month: 'short' } as const) : ({ month: 'long', year: 'numeric' } as const);
  const at = new Date(`${name}-01T00:00:00Z`);
  return new Intl.DateTimeFormat(getLocale().language, { ...options, timeZone: 'UTC' }).format(at);
}

/** "1.2M", for chart axes. */
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
    // The short unit "byte" has no plural.
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: 1,
  } as const;
  return new Intl.NumberFormat(getLocale().language, options).format(value / 1000 ** step);
}

/** Today in the time zone of the user, in wire format: form defaults, file names. */
export function todayInUserZone(now = new Date()): string {
  return dayInZone(getLocale().timeZone, now);
}

/** Today in the office time zone: deadlines, payment and payout dates. */
export function todayInOfficeZone(now = new Date()): string {
  return dayInZone(getLocale().officeTimeZone, now);
}

function dayInZone(timeZone: string, at: Date): string {
  const options = { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  return new Intl.DateTimeFormat('en-CA', options).format(at);
}

/** Converts the value of a `datetime-local` field in a zone to an instant. */
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
  // Two passes, because the first may cross a daylight saving change.
  const first = asUtc - (shown(asUtc) - asUtc);
  return new Date(first - (shown(first) - asUtc)).toISOString();
}
