/** Message catalogue of both languages, to detect untranslated texts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { catalogues, webMessages } from './env';
import { escapeRegExp } from './users';

type Words = Record<string, string>;

function readCatalogue(language: string): Words {
  const all: Words = {};
  for (const dir of [join(webMessages, language), join(catalogues, language)]) {
    for (const file of readdirSync(dir)) {
      // Mails are not shown on pages.
      if (!file.endsWith('.json') || file === 'mails.json') continue;
      const words = JSON.parse(readFileSync(join(dir, file), 'utf8')) as Words;
      for (const [key, text] of Object.entries(words)) all[`${file}:${key}`] = text;
    }
  }
  return all;
}

/** Pattern of a rendered message; undefined if it has too little literal text. */
function messagePattern(message: string): RegExp | undefined {
  const parts = message.split(/\{\{.*?\}\}|<.*?>/);
  if (parts.length === 1) return new RegExp(`^${escapeRegExp(message)}$`);
  if (parts.join('').replaceAll(/[^\p{L}]/gu, '').length < 6) return undefined;
  return new RegExp(`^${parts.map(escapeRegExp).join('.+')}$`);
}

const english = readCatalogue('en');
const spanish = readCatalogue('es');
const spanishTexts = Object.values(spanish)
  .map(messagePattern)
  .filter((one) => one !== undefined);

interface Message {
  file: string;
  whole: boolean;
  pattern: RegExp;
}
const englishOnly = Object.entries(english).flatMap(([key, text]): Message[] => {
  const one = spanish[key] === text ? undefined : messagePattern(text);
  const file = key.slice(0, key.indexOf(':'));
  return one ? [{ file, whole: !/\{\{|</.test(text), pattern: one }] : [];
});

/** Landing page samples repeat order texts; the API document is English prose. */
export type TextContext = 'open' | 'portal' | 'document';

/** Whether a text matches the English catalogue and no Spanish message. */
export function isEnglish(text: string, place: TextContext): boolean {
  const matches = englishOnly.some(
    (message) =>
      (place !== 'portal' || message.file !== 'landing.json') &&
      (place !== 'document' || message.whole) &&
      message.pattern.test(text),
  );
  return matches && !spanishTexts.some((one) => one.test(text));
}

/** Whether a text is a message key, such as `clients.create`. */
export function isKey(text: string): boolean {
  return /^([a-z]+:)?[a-z_]+(\.[a-z_0-9]+)+$/.test(text) && !/\.(com|csv|ics|json)$/.test(text);
}
