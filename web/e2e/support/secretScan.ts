/**
 * Secret scan: records the secrets that pass between users, browsers, mails and servers, and the server logs, in one
 * folder. The last check of a run searches the logs for the secrets.
 */
import type { BrowserContext } from '@playwright/test';
import { appendFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Secret fields of authentication requests and responses. */
const AUTH_FIELDS = new Set([
  ...['password', 'current_password', 'nonce', 'code', 'codes', 'token', 'auth_code', 'code_verifier'],
  ...['access_token', 'refresh_token', 'provider_token', 'provider_refresh_token'],
  ...['token_hash', 'hashed_token', 'email_otp', 'secret', 'uri', 'action_link'],
]);

/** Fields that are secret everywhere; `code` may be a country code. */
const COMMON_FIELDS = new Set(['password', 'token', 'access_token', 'refresh_token', 'secret']);

/** Secret fields of a URL; undefined if its bodies need no scan. */
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

/** Shorter values are too common. */
const isSecret = (value: string) => /^\d{6}$/.test(value) || value.length >= 8;

/** Records a value that no log may contain. */
export function recordSecret(what: string, value: string): void {
  const place = folder();
  if (!place || !isSecret(value) || recorded.has(value)) return;
  recorded.add(value);
  appendFileSync(join(place, `${process.pid}.secrets`), `${JSON.stringify({ what, value })}\n`);
}

/** Records the secrets in a JSON body, form or URL. */
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

/** Records the secrets in all requests and responses of a browser context. */
export function recordTraffic(context: BrowserContext): void {
  context.on('request', (request) => {
    recordSecretsIn(request.url());
    const under = secretFieldNames(request.url());
    if (under) recordSecretsIn(request.postData(), under);
  });
  context.on('response', (response) => {
    recordSecretsIn(response.headers().location);
    const under = secretFieldNames(response.url());
    // `code` of an error response is no secret.
    if (!response.ok() || !under) return;
    response.text().then(
      (text) => recordSecretsIn(text, under),
      () => undefined,
    );
  });
}

/** Appends server logs to the folder of the scan. */
export function openLogFile(): (said: string) => void {
  const place = folder();
  if (!place) return () => undefined;
  const file = join(place, `${process.pid}-${crypto.randomUUID()}.log`);
  return (said) => appendFileSync(file, said);
}

export interface Recording {
  secrets: Secret[];
  /** All log lines without timestamps, whose digits could look like codes. */
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
      // The demo banner prints credentials on purpose, next to the log.
      .filter((line) => !/^\s*[A-Z].*\/auth\/login\//.test(line))
      .map((line) => line.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, '')),
  };
}

/** Recorded secrets found in log lines. */
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
