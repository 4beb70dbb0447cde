import i18next from 'i18next';

/** Client-side form validators; the server checks everything else. */
export function required(value: string | null): string | null {
  return value?.trim() ? null : i18next.t('errors:fields.required');
}

/** Optional text in wire format: null when empty. */
export function orNull(text: string): string | null {
  return text.trim() || null;
}

/** Phone: digits, separators and extension, same rule as the server. */
export function isPhone(text: string): boolean {
  const [, number = '', extended = ''] =
    /^(.*?)(?:[\s,;]*(?:extension|ext\.?|x|#|;ext=)\s*(\d{1,7}))?$/i.exec(text.normalize('NFKC').trim()) ??
    [];
  const digits = number.replaceAll(/\D/g, '').length;
  const plain = /^[\s(]*\+?[\d\s().\-/\u2010-\u2015\u2212]*$/.test(number);
  return plain && digits >= 5 && digits <= 15 && extended.length <= 7;
}
