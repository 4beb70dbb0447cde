/**
 * Messages of the landing page and the public layout: a plain lookup without plurals and formats, so that visitors do
 * not load i18next.
 */
import { catalogueFor, getLocale, registerLanguageLoader, type Catalogue } from './locale';
import { useLocale } from './useLocale';

type Messages = Record<string, string>;
type Values = Record<string, string | number>;

type Part = 'frame' | 'page';

const catalogues: Record<Catalogue, Record<Part, () => Promise<{ default: Messages }>>> = {
  en: { frame: () => import('./en/landing.json'), page: () => import('./en/landing.page.json') },
  es: { frame: () => import('./es/landing.json'), page: () => import('./es/landing.page.json') },
};
const loaded: Record<Catalogue, Messages> = { en: {}, es: {} };
const wanted = new Set<Part>();

/** What sign-in pages show of them. */
export const loadFrameMessages = () => loadParts('frame');

/** Must resolve before the first lookup. */
export const loadLandingMessages = () => loadParts('frame', 'page');

async function loadParts(...parts: Part[]): Promise<void> {
  for (const part of parts) wanted.add(part);
  registerLanguageLoader(loadCatalogue);
  await loadCatalogue(catalogueFor(getLocale().language));
}

async function loadCatalogue(catalogue: Catalogue): Promise<void> {
  const parts = [...wanted].map((part) => catalogues[catalogue][part]());
  for (const part of await Promise.all(parts)) Object.assign(loaded[catalogue], part.default);
}

/** Replaces `{{name}}` placeholders. */
export function interpolate(text: string, values: Values): string {
  return text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** Message lookup in the current language; rerenders on language change. */
export function useLandingMessages(): (key: string, values?: Values) => string {
  const { language } = useLocale();
  return (key, values = {}) => interpolate(loaded[catalogueFor(language)][key] ?? key, values);
}
