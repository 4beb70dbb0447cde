/** Time zones with search: by city, country, zone name or UTC offset. */

/** Cities whose zone id has a former name. */
const RENAMED_CITIES: Record<string, string> = {
  'Africa/Asmera': 'Asmara',
  'America/Coral_Harbour': 'Atikokan',
  'America/Godthab': 'Nuuk',
  'Asia/Calcutta': 'Kolkata',
  'Asia/Katmandu': 'Kathmandu',
  'Asia/Rangoon': 'Yangon',
  'Asia/Saigon': 'Ho Chi Minh City',
  'Asia/Ho_Chi_Minh': 'Ho Chi Minh City',
  'Atlantic/Faeroe': 'Faroe',
  'Europe/Kiev': 'Kyiv',
  'Pacific/Enderbury': 'Kanton',
  'Pacific/Ponape': 'Pohnpei',
  'Pacific/Truk': 'Chuuk',
};

export interface Zone {
  value: string;
  /** "Dubai (GMT+4)" */
  label: string;
  /** Search text with [foldAccents]. */
  words: string;
}

const zoneCache = new Map<string, Zone[]>();

/** All zones of the browser by offset and name; the `chosen` one under its given id. Cached per language. */
export function timeZonesIn(language: string, chosen: string, now = new Date()): Zone[] {
  const list = zoneCache.get(language) ?? buildZones(language, now);
  zoneCache.set(language, list);
  const known = chosen && resolveZoneName(chosen);
  if (!known || known === chosen) return list;
  return list.map((zone) =>
    zone.value === known
      ? { ...zone, value: chosen, words: `${zone.words} ${canonicalZone(chosen, language, now).words}` }
      : zone,
  );
}

function buildZones(language: string, now: Date): Zone[] {
  const countries = zoneCountries(language);
  return [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC'])]
    .map((value) => canonicalZone(value, language, now, countries.get(value)))
    .map((zone) => ({ zone, minutes: utcOffsetMinutes(zone.label) }))
    .toSorted((a, b) => a.minutes - b.minutes || a.zone.label.localeCompare(b.zone.label, language))
    .map(({ zone }) => zone);
}

export function canonicalZone(
  value: string,
  language: string,
  now = new Date(),
  countries: string[] = [],
): Zone {
  const city = RENAMED_CITIES[value] ?? (value.split('/').at(-1) ?? value).replaceAll('_', ' ');
  const offset = zoneDisplayName(value, 'en', 'shortOffset', now);
  const label = value === 'UTC' || !offset ? city : `${city} (${offset})`;
  const words = [
    label,
    value,
    value.replaceAll('_', ' '),
    zoneDisplayName(value, language, 'long', now),
    ...countries,
  ];
  return { value, label, words: foldAccents(words.join(' ')) };
}

/** Whether every typed word matches, ignoring case and accents. */
export function matchesSearch(zone: Zone, typed: string): boolean {
  const words = foldAccents(typed).split(' ').filter(Boolean);
  return words.every((word) => zone.words.includes(word));
}

function foldAccents(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** Canonical id of a zone alias; undefined for an unknown zone. */
function resolveZoneName(zone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

function zoneDisplayName(zone: string, language: string, style: 'shortOffset' | 'long', now: Date): string {
  try {
    const parts = new Intl.DateTimeFormat(language, { timeZone: zone, timeZoneName: style }).formatToParts(
      now,
    );
    return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  } catch {
    // The server may know zones that this browser does not.
    return '';
  }
}

function utcOffsetMinutes(label: string): number {
  const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d+)(?::(\d+))?/.exec(label) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

interface WithZones {
  getTimeZones?: () => string[] | undefined;
  timeZones?: string[];
}

/** Countries by zone. Empty if the browser lacks support. */
function zoneCountries(language: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const names = [language, 'en'].map(
    (one) => new Intl.DisplayNames(one, { type: 'region', fallback: 'none' }),
  );
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  for (const code of letters.flatMap((first) => letters.map((second) => first + second))) {
    const region = new Intl.Locale(`und-${code}`) as Intl.Locale & WithZones;
    const zones = region.getTimeZones?.() ?? region.timeZones ?? [];
    const called = names.map((name) => name.of(code)).filter((name) => name !== undefined);
    for (const zone of zones) found.set(zone, [...(found.get(zone) ?? []), ...called]);
  }
  return found;
}
