import i18next from 'i18next';

/** What a form checks before it is sent; everything else is the server's to judge. */
export function required(value: string | null): string | null {
  return value?.trim() ? null : i18next.t('errors:fields.required');
}

/** An optional text as the wire wants it: null when empty. */
export function orNull(text: string): string | null {
  return text.trim() || null;
}
