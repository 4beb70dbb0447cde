/**
 * The words of the landing page and of the frame around the public pages. A lookup and nothing more, so that a visitor
 * does not load the whole catalogue library: these messages have no plurals and nothing to format.
 */
import { catalogueOf, getLocale, speaks, useLocale, type Catalogue } from './locale';

type Words = Record<string, string>;
type Values = Record<string, string | number>;

const files: Record<Catalogue, () => Promise<{ default: Words }>> = {
  en: () => import('./en/landing.json'),
  es: () => import('./es/landing.json'),
};
const known: Partial<Record<Catalogue, Words>> = {};

/** Must have come once before anything asks for a word. */
export async function loadWords(): Promise<void> {
  document.documentElement.lang = getLocale().language;
  speaks(learn);
  await learn(catalogueOf(getLocale().language));
}

async function learn(catalogue: Catalogue): Promise<void> {
  known[catalogue] ??= (await files[catalogue]()).default;
}

/** `{{name}}` becomes the value of this name. */
export function filledIn(text: string, values: Values): string {
  return text.replace(/\{\{(\w+)\}\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** Looks words up in the current language, and again when it changes. */
export function useWords(): (key: string, values?: Values) => string {
  const { language } = useLocale();
  return (key, values = {}) => filledIn(known[catalogueOf(language)]?.[key] ?? key, values);
}
