import { browserStore } from '../api/browserStorage';

/** Locale settings: language (`en-US`, `en-GB` or `es`), time zones and date format. */
export interface Locale {
  language: Language;
  timeZone: string;
  /** Office time zone, for deadlines and payment dates. */
  officeTimeZone: string;
  dateFormat: DateFormat;
}
/** `auto`: by language. */
export type DateFormat = 'auto' | 'mdy' | 'dmy' | 'ymd';
export const languages = ['en-US', 'en-GB', 'es'] as const;
export type Language = (typeof languages)[number];
/** Language names in their own language. */
export const languageNames: Record<Language, string> = {
  'en-US': 'English (US)',
  'en-GB': 'English (UK)',
  es: 'Español',
};
/** Message catalogues; British English uses the English one. */
export type Catalogue = 'en' | 'es';

const STORAGE_KEY = 'spv-language';

export function catalogueFor(language: Language): Catalogue {
  return language === 'es' ? 'es' : 'en';
}

function preferredLanguage(): Language {
  const stored = browserStore.getItem(STORAGE_KEY);
  const candidates = stored ? [stored] : (globalThis.navigator?.languages ?? []);
  for (const tag of candidates) {
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
  if (typeof document !== 'undefined') document.documentElement.lang = current.language;
  for (const listener of listeners) listener();
}

type LanguageLoader = (catalogue: Catalogue) => Promise<unknown>;
const languageLoaders = new Set<LanguageLoader>();

/** Registers a loader that runs before a language is shown. */
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
