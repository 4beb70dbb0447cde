import { useSyncExternalStore } from 'react';
import { browserStore } from '../api/browserStorage';

/** What dates and amounts are written by. `language` is the person's choice, `en-US`, `en-GB` or `es`. */
export interface Locale {
  language: Language;
  timeZone: string;
  /** The office's: deadlines and dates of money go by it. */
  officeTimeZone: string;
  dateFormat: DateFormat;
}
/** `auto`: as the language has it. */
export type DateFormat = 'auto' | 'mdy' | 'dmy' | 'ymd';
export const languages = ['en-US', 'en-GB', 'es'] as const;
export type Language = (typeof languages)[number];
/** Each in its own words, so that it is found by whoever needs it. */
export const languageNames: Record<Language, string> = {
  'en-US': 'English (US)',
  'en-GB': 'English (UK)',
  es: 'Español',
};
/** The catalogues that exist; British English reads the English one. */
export type Catalogue = 'en' | 'es';

const STORAGE_KEY = 'spv-language';

export function catalogueFor(language: Language): Catalogue {
  return language === 'es' ? 'es' : 'en';
}

function preferredLanguage(): Language {
  const stored = browserStore.getItem(STORAGE_KEY);
  const wanted = stored ? [stored] : (globalThis.navigator?.languages ?? []);
  for (const tag of wanted) {
    if (tag === 'en-GB') return 'en-GB';
    if (tag.startsWith('en')) return 'en-US';
    if (tag.startsWith('es')) return 'es';
  }
  return 'en-US';
}

const browserTimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone;
let current: Locale = {
  language: preferredLanguage(),
  timeZone: browserTimeZone,
  officeTimeZone: browserTimeZone,
  dateFormat: 'auto',
};
const listeners = new Set<() => void>();

export function getLocale(): Locale {
  return current;
}

export function setLocale(next: Partial<Locale>): void {
  current = { ...current, ...next };
  browserStore.setItem(STORAGE_KEY, current.language);
  document.documentElement.lang = current.language;
  for (const listener of listeners) listener();
}

type LanguageLoader = (catalogue: Catalogue) => Promise<unknown>;
const languageLoaders = new Set<LanguageLoader>();

/** `learn` gets the words of a language ready before it is shown. */
export function registerLanguageLoader(learn: LanguageLoader): void {
  languageLoaders.add(learn);
}

export async function setLanguage(language: Language): Promise<void> {
  await Promise.all([...languageLoaders].map((learn) => learn(catalogueFor(language))));
  setLocale({ language });
}

export function onLocaleChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function useLocale(): Locale {
  return useSyncExternalStore(onLocaleChange, getLocale);
}
