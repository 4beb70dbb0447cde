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

// One chunk per language.
const catalogues: Record<Catalogue, () => Promise<{ messages: Namespaces }>> = {
  en: () => import('./en'),
  es: () => import('./es'),
};

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
  const { messages } = await catalogues[catalogue]();
  for (const [namespace, words] of Object.entries(messages)) {
    i18next.addResourceBundle(catalogue, namespace, words);
  }
  await i18next.changeLanguage(catalogue);
}
