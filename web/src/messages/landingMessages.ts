/**
 * The words of the landing page and of the frame around the public pages. A lookup and nothing more, so that a visitor
 * does not load the whole catalogue library: these messages have no plurals and nothing to format.
 */
import { catalogueFor, getLocale, registerLanguageLoader, useLocale, type Catalogue } from './locale';

type Messages = Record<string, string>;
type Values = Record<string, string | number>;

const catalogues: Record<Catalogue, () => Promise<{ default: Messages }>> = {
  en: () => import('./en/landing.json'),
  es: () => import('./es/landing.json'),
};
const loaded: Partial<Record<Catalogue, Messages>> = {};

/** Must have come once before anything asks for a word. */
export async function loadLandingMessages(): Promise<void> {
  document.documentElement.lang = getLocale().language;
  registerLanguageLoader(loadCatalogue);
  await loadCatalogue(catalogueFor(getLocale().language));
}

async function loadCatalogue(catalogue: Catalogue): Promise<void> {
  loaded[catalogue] ??= (await catalogues[catalogue]()).default;
}

/** `{{name}}` becomes the value of this name. */
export function interpolate(text: string, values: Values): string {
  return text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** Looks words up in the current language, and again when it changes. */
export function useLandingMessages(): (key: string, values?: Values) => string {
  const { language } = useLocale();
  return (key, values = {}) => interpolate(loaded[catalogueFor(language)]?.[key] ?? key, values);
}
