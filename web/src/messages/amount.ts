import { getLocale } from './locale';

/** Parses amounts as users type them, by the same rule as the server: ambiguous amounts are rejected. */
export type ParsedAmount =
  | { kind: 'read'; value: string }
  /** `1.250`: both readings in wire format. */
  | { kind: 'ambiguous'; grouped: string; decimal: string }
  | { kind: 'too_fine'; max: number }
  | { kind: 'unreadable' };

interface Parts {
  sign: string;
  whole: string;
  decimals: string;
  separator: string;
  grouped: boolean;
}

const GROUP_SEPARATORS = "[.,' \u2019\u00a0\u202f\u2009]";
const grouped = new RegExp(`^\\d{1,3}(${GROUP_SEPARATORS})\\d{3}(\\1\\d{3})*$`);

/** Currencies of ISO 4217 without and with three decimals; Intl has other digits for some of them, such as IQD. */
const WITHOUT_DECIMALS = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' ');
const WITH_THREE_DECIMALS = 'BHD IQD JOD KWD LYD OMR TND'.split(' ');

/** Fraction digits of a currency: its minor unit of ISO 4217, as the server has it. */
export function fractionDigits(currency: string): number {
  if (WITHOUT_DECIMALS.includes(currency)) return 0;
  return WITH_THREE_DECIMALS.includes(currency) ? 3 : 2;
}

/** Parses an amount in a currency. */
export function parseAmount(typed: string, currency: string): ParsedAmount {
  const parts = numberParts(typed);
  if (!parts) return { kind: 'unreadable' };
  const digits = fractionDigits(currency);
  // With three decimals a point is decimal, as the server writes it.
  const isDecimal = digits === 3 && parts.separator === '.';
  if (couldBeGrouped(parts) && !isDecimal) return ambiguous(parts, digits);
  if (parts.decimals.length > digits) return { kind: 'too_fine', max: digits };
  return { kind: 'read', value: toWire(parts) };
}

/** Parses a percentage. A point is always decimal; a comma before three digits is ambiguous. */
export function parsePercent(typed: string): ParsedAmount {
  const parts = numberParts(typed);
  if (!parts) return { kind: 'unreadable' };
  if (parts.separator === ',' && couldBeGrouped(parts)) return ambiguous(parts, 0);
  if (parts.decimals.replace(/0+$/, '').length > 4) return { kind: 'too_fine', max: 4 };
  return { kind: 'read', value: toWire(parts) };
}

/** Wire value: the parsed amount, or the raw text for the server to reject. */
export function amountToWire(typed: string, currency: string): string {
  const reading = parseAmount(typed, currency);
  return reading.kind === 'read' ? reading.value : typed.trim();
}

export function percentToWire(typed: string): string {
  const reading = parsePercent(typed);
  return reading.kind === 'read' ? reading.value : typed.trim();
}

/** Typed amount with its digits grouped, where that reads as the same amount; otherwise as typed. */
export function amountText(typed: string, currency: string): string {
  const reading = parseAmount(typed, currency);
  if (reading.kind !== 'read') return typed;
  const digits = fractionDigits(currency);
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const text = new Intl.NumberFormat(getLocale().language, options).format(
    reading.value as Intl.StringNumericLiteral,
  );
  const again = parseAmount(text, currency);
  return again.kind === 'read' && Number(again.value) === Number(reading.value) ? text : typed;
}

/** Formats a wire decimal in the locale, keeping its digits. */
export function decimalText(value: string): string {
  const decimals = value.split('.')[1]?.length ?? 0;
  const options = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return new Intl.NumberFormat(getLocale().language, options).format(value as Intl.StringNumericLiteral);
}

function numberParts(typed: string): Parts | null {
  const trimmed = typed.trim();
  const sign = trimmed.startsWith('-') ? '-' : '';
  const text = trimmed.slice(sign.length);
  const last = [...text].findLast((sign) => sign === '.' || sign === ',');
  // Repeated separators group digits; a single one is decimal.
  const cut = last && text.split(last).length === 2 ? text.lastIndexOf(last) : -1;
  const whole = cut < 0 ? text : text.slice(0, cut);
  const decimals = cut < 0 ? '' : text.slice(cut + 1);
  if (!/^\d*$/.test(decimals) || (!whole && !decimals)) return null;
  const plain = /^\d*$/.test(whole);
  const group = grouped.exec(whole)?.[1];
  if (!plain && (!group || group === text[cut])) return null;
  return {
    sign,
    whole: whole.replaceAll(/\D/g, ''),
    decimals,
    separator: cut < 0 ? '' : (text[cut] ?? ''),
    grouped: !plain,
  };
}

/** A single separator before three digits may group or be decimal. */
function couldBeGrouped({ whole, decimals, grouped }: Parts): boolean {
  return !grouped && decimals.length === 3 && /^[1-9]\d{0,2}$/.test(whole);
}

function ambiguous({ whole, decimals }: Parts, digits: number): ParsedAmount {
  const zeros = digits > 0 ? `.${'0'.repeat(digits)}` : '';
  const fraction = decimals.replace(/0+$/, '').padEnd(digits, '0');
  return {
    kind: 'ambiguous',
    grouped: `${whole}${decimals}${zeros}`,
    decimal: fraction ? `${whole}.${fraction}` : whole,
  };
}

function toWire({ sign, whole, decimals }: Parts): string {
  return `${sign}${whole || '0'}${decimals && `.${decimals}`}`;
}
