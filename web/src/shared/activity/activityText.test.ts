import i18next from 'i18next';
import { beforeAll, expect, test } from 'vitest';
import enEvents from '../../../../domain/messages/en/events.json';
import enNames from '../../../../domain/messages/en/names.json';
import esEvents from '../../../../domain/messages/es/events.json';
import esNames from '../../../../domain/messages/es/names.json';
import type { Activity } from '../../api/types';
import { actorName } from '../../messages/actorName';
import { activityText, actorText } from './activityText';

const i18n = i18next.createInstance();
beforeAll(() =>
  i18n.init({
    resources: { en: { events: enEvents, names: enNames }, es: { events: esEvents, names: esNames } },
    keySeparator: false,
    interpolation: { escapeValue: false },
  }),
);

const event = (kind: string, name: string): Activity => ({
  id: '1',
  seq: 1,
  at: '2026-11-27T12:00:00Z',
  action: 'request.created',
  actor: { kind, name },
  subject: { kind: 'request', id: null, label: 'REQ-1' },
  spv_id: null,
  data: {},
});

test.each([
  ['anonymous', '', 'Visitor', 'Visitante'],
  ['system', 'portal.backup', 'The system', 'El sistema'],
  ['service', '', 'Service', 'Servicio'],
  ['operator', 'root', 'Operator root', 'Operador root'],
  ['operator', '', 'Operator', 'Operador'],
  ['client', 'Amara Diallo', 'Amara Diallo', 'Amara Diallo'],
])('actor text is localized: %s %j', (kind, name, en, es) => {
  expect([
    actorText(i18n.getFixedT('en'), { kind, name }),
    actorText(i18n.getFixedT('es'), { kind, name }),
  ]).toEqual([en, es]);
  expect(activityText(i18n.getFixedT('es'), event(kind, name))).toContain(es);
});

test('activity of actors without a name has a text', () => {
  const t = i18n.getFixedT('es');
  expect(['actor:anonymous', 'actor:system', 'Elias Brandt', 'root'].map((by) => actorName(t, by))).toEqual([
    'Visitante',
    'El sistema',
    'Elias Brandt',
    'root',
  ]);
});

test.each([
  ['actor:service', 'Service'],
  ['root', 'Operator root'],
])('writes of a session that an administrator began name both: %s', (by, name) => {
  const written = { ...event('client', 'Amara Diallo'), data: { session_begun_by: by } };
  const text = activityText(i18n.getFixedT('en'), written);
  expect(text).toContain('Amara Diallo');
  expect(text).toContain(`(in a session started with a link or password from ${name})`);
});
