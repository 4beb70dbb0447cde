import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import {
  catalogueFor,
  getLocale,
  onLocaleChange,
  registerLanguageLoader,
  type Catalogue,
  type Locale,
} from './locale';

type Namespaces = Record<string, Record<string, string>>;

type Part = () => Promise<{ messages: Namespaces }>;

/** Two chunks per language: the second is loaded when a user signs in, and with the first page that is not a sign-in page. */
const catalogues: Record<Catalogue, { first: Part; portals: Part }> = {
  en: { first: () => import('./en'), portals: () => import('./en/portals') },
  es: { first: () => import('./es'), portals: () => import('./es/portals') },
};
let portalMessages: Promise<void> | undefined;

let initialized: Promise<unknown> | undefined;

/** Initializes i18next for everything behind the landing page, and loads languages on change. */
export async function loadMessages(): Promise<void> {
  const catalogue = catalogueFor(getLocale().language);
  document.documentElement.lang = getLocale().language;
  initialized ??= i18next.use(initReactI18next).init({
    lng: catalogue,
    supportedLngs: ['en', 'es'],
    fallbackLng: false,
    resources: {},
    // Keys are flat, as in the catalogues shared with Rust.
    keySeparator: false,
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
  });
  await initialized;
  registerLanguageLoader(addLanguage);
  redrawOnDateSettingsChange();
  await addLanguage(catalogue);
}

/** Loads the messages of the portals and of refused requests, in the current language and those chosen later. */
export function loadPortalMessages(): Promise<void> {
  portalMessages ??= addPortalMessages(catalogueFor(getLocale().language)).catch((error: unknown) => {
    portalMessages = undefined;
    throw error;
  });
  return portalMessages;
}

async function addPortalMessages(catalogue: Catalogue): Promise<void> {
  addMessages(catalogue, await catalogues[catalogue].portals());
}

let dateSettings = '';
const dateSettingsKey = ({ timeZone, dateFormat }: Locale) => `${timeZone} ${dateFormat}`;

/** Texts contain dates, so a changed date format or time zone rerenders them. */
function redrawOnDateSettingsChange(): void {
  if (dateSettings) return;
  dateSettings = dateSettingsKey(getLocale());
  onLocaleChange(() => {
    const next = dateSettingsKey(getLocale());
    if (next === dateSettings) return;
    dateSettings = next;
    i18next.emit('languageChanged', i18next.language);
  });
}

async function addLanguage(catalogue: Catalogue): Promise<void> {
  const { first, portals } = catalogues[catalogue];
  const parts = await Promise.all([first(), ...(portalMessages ? [portals()] : [])]);
  for (const part of parts) addMessages(catalogue, part);
  await i18next.changeLanguage(catalogue);
}

function addMessages(catalogue: Catalogue, { messages }: { messages: Namespaces }): void {
  for (const [namespace, words] of Object.entries(messages)) {
    i18next.addResourceBundle(catalogue, namespace, words);
  }
}
