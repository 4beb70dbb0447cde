/**
 * Messages of the landing page and the public layout: a plain lookup without plurals and formats, so that visitors do
 * not load i18next.
 */
import { catalogueFor, getLocale, registerLanguageLoader, useLocale, type Catalogue } from './locale';

type Messages = Record<string, string>;
type Values = Record<string, string | number>;

const catalogues: Record<Catalogue, () => Promise<{ default: Messages }>> = {
  en: () => import('./en/landing.json'),
  es: () => import('./es/landing.json'),
};
const loaded: Partial<Record<Catalogue, Messages>> = {};

/** Must resolve before the first lookup. */
export async function loadLandingMessages(): Promise<void> {
  document.documentElement.lang = getLocale().language;
  registerLanguageLoader(loadCatalogue);
  await loadCatalogue(catalogueFor(getLocale().language));
}

async function loadCatalogue(catalogue: Catalogue): Promise<void> {
  loaded[catalogue] ??= (await catalogues[catalogue]()).default;
}

/** Replaces `{{name}}` placeholders. */
export function interpolate(text: string, values: Values): string {
  return text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** Message lookup in the current language; rerenders on language change. */
export function useLandingMessages(): (key: string, values?: Values) => string {
  const { language } = useLocale();
  return (key, values = {}) => interpolate(loaded[catalogueFor(language)]?.[key] ?? key, values);
}
