import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { catalogueOf, getLocale, setLocale, type Catalogue, type Language } from './locale';

type Namespaces = Record<string, Record<string, string>>;
type Part = 'landing' | 'app';

// One chunk per language and part: the landing page loads its own words and nothing else.
const parts: Record<Part, Record<Catalogue, () => Promise<Namespaces>>> = {
  landing: {
    en: async () => ({ landing: (await import('./en/landing.json')).default }),
    es: async () => ({ landing: (await import('./es/landing.json')).default }),
  },
  app: {
    en: async () => (await import('./en')).messages,
    es: async () => (await import('./es')).messages,
  },
};
const wanted = new Set<Part>();

/** Makes a part's words ready in the current language, and in every language chosen later. */
export async function loadMessages(part: Part): Promise<void> {
  wanted.add(part);
  await start();
  await add(part, catalogueOf(getLocale().language));
}

export async function setLanguage(language: Language): Promise<void> {
  const catalogue = catalogueOf(language);
  await start();
  await Promise.all([...wanted].map((part) => add(part, catalogue)));
  await i18next.changeLanguage(catalogue);
  setLocale({ language });
}

async function add(part: Part, catalogue: Catalogue): Promise<void> {
  for (const [namespace, words] of Object.entries(await parts[part][catalogue]())) {
    i18next.addResourceBundle(catalogue, namespace, words);
  }
}

let started: Promise<unknown> | undefined;
function start(): Promise<unknown> {
  document.documentElement.lang = getLocale().language;
  started ??= i18next.use(initReactI18next).init({
    lng: catalogueOf(getLocale().language),
    supportedLngs: ['en', 'es'],
    fallbackLng: false,
    resources: {},
    // Keys are flat in every catalogue file, as the Rust side reads the shared ones too.
    keySeparator: false,
    interpolation: { escapeValue: false },
    react: { useSuspense: false },
  });
  return started;
}
