import { expect, test } from 'vitest';
import { matchesSearch, canonicalZone, timeZonesIn } from './timeZones';

const winter = new Date('2026-12-01T12:00:00Z');
const zones = timeZonesIn('en-US', 'Asia/Kolkata', winter);
const found = (typed: string, among = zones) =>
  among.filter((zone) => matchesSearch(zone, typed)).map(({ label }) => label);

test.each([
  ['Dubai', 'Dubai (GMT+4)'],
  ['  duBAI ', 'Dubai (GMT+4)'],
  ['United Arab', 'Dubai (GMT+4)'],
  ['Emirates', 'Dubai (GMT+4)'],
  ['gulf standard', 'Dubai (GMT+4)'],
  ['asia/dubai', 'Dubai (GMT+4)'],
  ['gmt+4', 'Dubai (GMT+4)'],
  ['new york', 'New York (GMT-5)'],
  ['America/New_York', 'New York (GMT-5)'],
  ['United States', 'Los Angeles (GMT-8)'],
  ['Eastern Standard', 'New York (GMT-5)'],
  ['kolkata', 'Kolkata (GMT+5:30)'],
  ['calcutta', 'Kolkata (GMT+5:30)'],
  ['India', 'Kolkata (GMT+5:30)'],
  ['Sao Paulo', 'Sao Paulo (GMT-3)'],
  ['kyiv', 'Kyiv (GMT+2)'],
  ['Saigon', 'Ho Chi Minh City (GMT+7)'],
  ['UTC', 'UTC'],
])('%s finds %s', (typed, label) => {
  expect(found(typed)).toContain(label);
});

test('unknown zones are omitted, and each zone is listed once in order', () => {
  expect(found('Atlantis')).toEqual([]);
  expect(timeZonesIn('en-US', 'No/Where').map(({ value }) => value)).not.toContain('No/Where');
  expect(canonicalZone('No/Where', 'en-US').label).toBe('Where');
  expect(new Set(zones.map(({ label, value }) => (value.startsWith('Asia/') ? label : value))).size).toBe(
    zones.length,
  );
  expect(zones.filter(({ label }) => label.startsWith('Kolkata')).map(({ value }) => value)).toEqual([
    'Asia/Kolkata',
  ]);
  const labels = zones.map(({ label }) => label);
  expect(labels.indexOf('Los Angeles (GMT-8)')).toBeLessThan(labels.indexOf('New York (GMT-5)'));
  expect(labels.indexOf('New York (GMT-5)')).toBeLessThan(labels.indexOf('Dubai (GMT+4)'));
});

test('countries are found in the language of the reader', () => {
  const here = timeZonesIn('es', 'No/Where', winter);
  expect(found('Alemania', here)).toContain('Berlin (GMT+1)');
  expect(found('Germany', here)).toContain('Berlin (GMT+1)');
  expect(found('Japón', here)).toContain('Tokyo (GMT+9)');
  expect(found('japon', here)).toContain('Tokyo (GMT+9)');
});
