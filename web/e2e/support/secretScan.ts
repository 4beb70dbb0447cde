/**
 * Everything secret that passes between people, browsers, mails and servers while stories are told, and everything that
 * the servers log meanwhile: kept in one folder, so that at the end of the run the one is looked for in the other.
 */
import type { BrowserContext } from '@playwright/test';
import { appendFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Names under which requests and answers of the sign-in carry something secret. */
const AUTH_FIELDS = new Set([
  ...['password', 'current_password', 'nonce', 'code', 'codes', 'token', 'auth_code', 'code_verifier'],
  ...['access_token', 'refresh_token', 'provider_token', 'provider_refresh_token'],
  ...['token_hash', 'hashed_token', 'email_otp', 'secret', 'uri', 'action_link'],
]);

/** Names that mean the same in the rest of the portal, where a `code` may be a country's. */
const COMMON_FIELDS = new Set(['password', 'token', 'access_token', 'refresh_token', 'secret']);

/** What may be secret in the bodies of an address; none where there is nothing to look for. */
export function secretFieldNames(url: string): Set<string> | undefined {
  if (url.includes('/auth/v1/')) return AUTH_FIELDS;
  return url.includes('/rest/v1/') ? COMMON_FIELDS : undefined;
}

export interface Secret {
  what: string;
  value: string;
}

const recorded = new Set<string>();
const folder = () => process.env.STORY_LOGS;

/** Shorter ones are words like any other. */
const isSecret = (value: string) => /^\d{6}$/.test(value) || value.length >= 8;

/** Notes what must not stand in any log. */
export function recordSecret(what: string, value: string): void {
  const place = folder();
  if (!place || !isSecret(value) || recorded.has(value)) return;
  recorded.add(value);
  appendFileSync(join(place, `${process.pid}.secrets`), `${JSON.stringify({ what, value })}\n`);
}

/** Notes the secrets in a body, a form or an address, whatever it is. */
export function recordSecretsIn(text: string | null | undefined, under = AUTH_FIELDS): void {
  if (!text || !folder()) return;
  if (/^https?:/.test(text)) {
    const url = new URL(text);
    for (const pairs of [url.searchParams, new URLSearchParams(url.hash.slice(1))]) recordPairs(pairs, under);
    return;
  }
  try {
    recordJson(JSON.parse(text), under);
  } catch {
    recordPairs(new URLSearchParams(text), under);
  }
}

function recordPairs(pairs: URLSearchParams, under: Set<string>): void {
  for (const [name, value] of pairs) if (under.has(name)) recordSecret(name, value);
}

function recordJson(value: unknown, under: Set<string>, name = ''): void {
  if (typeof value === 'string' && under.has(name)) recordSecret(name, value);
  if (Array.isArray(value)) for (const one of value) recordJson(one, under, name);
  else if (typeof value === 'object' && value !== null) {
    for (const [field, part] of Object.entries(value)) recordJson(part, under, field);
  }
}

/** Listens to all that a browser says to the portal and hears from it. */
export function recordTraffic(context: BrowserContext): void {
  context.on('request', (request) => {
    recordSecretsIn(request.url());
    const under = secretFieldNames(request.url());
    if (under) recordSecretsIn(request.postData(), under);
  });
  context.on('response', (response) => {
    recordSecretsIn(response.headers().location);
    const under = secretFieldNames(response.url());
    // A refusal's `code` is its name.
    if (!response.ok() || !under) return;
    response.text().then(
      (text) => recordSecretsIn(text, under),
      () => undefined,
    );
  });
}

/** Where a portal's log is kept beside the story's own memory of it. */
export function openLogFile(): (said: string) => void {
  const place = folder();
  if (!place) return () => undefined;
  const file = join(place, `${process.pid}-${crypto.randomUUID()}.log`);
  return (said) => appendFileSync(file, said);
}

export interface Recording {
  secrets: Secret[];
  /** Every line of every log, without its time, whose digits are nobody's code. */
  lines: string[];
}

export async function readRecording(): Promise<Recording> {
  const place = folder() ?? '';
  const all = async (end: string) => {
    const files = (await readdir(place)).filter((name) => name.endsWith(end));
    return (await Promise.all(files.map((name) => readFile(join(place, name), 'utf8')))).join('\n');
  };
  const lines = (text: string) => text.split('\n').filter(Boolean);
  return {
    secrets: lines(await all('.secrets')).map((line) => JSON.parse(line) as Secret),
    lines: lines(await all('.log'))
      // In demo mode a start says how to sign in: to whoever started it, beside the log.
      .filter((line) => !/^\s*[A-Z].*\/auth\/login\//.test(line))
      .map((line) => line.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, '')),
  };
}

/** The secrets that stand in a line, each with the line. */
export function findLeaks({ secrets, lines }: Recording): { what: string; line: string }[] {
  const digits = secrets.filter(({ value }) => /^\d{6}$/.test(value));
  const codes = new Map(digits.map(({ what, value }) => [value, what]));
  const long = secrets.filter(({ value }) => !codes.has(value));
  return lines.flatMap((line) => [
    ...long.filter(({ value }) => line.includes(value)).map(({ what }) => ({ what, line })),
    ...(line.match(/(?<![\w.-])\d{6}(?![\w.-])/g) ?? [])
      .filter((number) => codes.has(number))
      .map((number) => ({ what: codes.get(number) ?? '', line })),
  ]);
}
