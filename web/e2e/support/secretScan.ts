/**
 * Everything secret that passes between people, browsers, mails and servers while stories are told, and everything that
 * the servers log meanwhile: kept in one folder, so that at the end of the run the one is looked for in the other.
 */
import type { BrowserContext } from '@playwright/test';
import { appendFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Names under which requests and answers of the sign-in carry something secret. */
const names = new Set([
  ...['password', 'current_password', 'nonce', 'code', 'codes', 'token', 'auth_code', 'code_verifier'],
  ...['access_token', 'refresh_token', 'provider_token', 'provider_refresh_token'],
  ...['token_hash', 'hashed_token', 'email_otp', 'secret', 'uri', 'action_link'],
]);

/** Names that mean the same in the rest of the portal, where a `code` may be a country's. */
const everywhere = new Set(['password', 'token', 'access_token', 'refresh_token', 'secret']);

/** What may be secret in the bodies of an address; none where there is nothing to look for. */
export function namesAt(url: string): Set<string> | undefined {
  if (url.includes('/auth/v1/')) return names;
  return url.includes('/rest/v1/') ? everywhere : undefined;
}

export interface Secret {
  what: string;
  value: string;
}

const known = new Set<string>();
const folder = () => process.env.STORY_LOGS;

/** Shorter ones are words like any other. */
const isSecret = (value: string) => /^\d{6}$/.test(value) || value.length >= 8;

/** Notes what must not stand in any log. */
export function isNoted(what: string, value: string): void {
  const place = folder();
  if (!place || !isSecret(value) || known.has(value)) return;
  known.add(value);
  appendFileSync(join(place, `${process.pid}.secrets`), `${JSON.stringify({ what, value })}\n`);
}

/** Notes the secrets in a body, a form or an address, whatever it is. */
export function areNoted(text: string | null | undefined, under = names): void {
  if (!text || !folder()) return;
  if (/^https?:/.test(text)) {
    const url = new URL(text);
    for (const pairs of [url.searchParams, new URLSearchParams(url.hash.slice(1))]) fromPairs(pairs, under);
    return;
  }
  try {
    fromJson(JSON.parse(text), under);
  } catch {
    fromPairs(new URLSearchParams(text), under);
  }
}

function fromPairs(pairs: URLSearchParams, under: Set<string>): void {
  for (const [name, value] of pairs) if (under.has(name)) isNoted(name, value);
}

function fromJson(value: unknown, under: Set<string>, name = ''): void {
  if (typeof value === 'string' && under.has(name)) isNoted(name, value);
  if (Array.isArray(value)) for (const one of value) fromJson(one, under, name);
  else if (typeof value === 'object' && value !== null) {
    for (const [called, part] of Object.entries(value)) fromJson(part, under, called);
  }
}

/** Listens to all that a browser says to the portal and hears from it. */
export function areHeardIn(context: BrowserContext): void {
  context.on('request', (request) => {
    areNoted(request.url());
    const under = namesAt(request.url());
    if (under) areNoted(request.postData(), under);
  });
  context.on('response', (response) => {
    areNoted(response.headers().location);
    const under = namesAt(response.url());
    // A refusal's `code` is its name.
    if (!response.ok() || !under) return;
    response.text().then(
      (text) => areNoted(text, under),
      () => undefined,
    );
  });
}

/** Where a portal's log is kept beside the story's own memory of it. */
export function keepsLog(): (said: string) => void {
  const place = folder();
  if (!place) return () => undefined;
  const file = join(place, `${process.pid}-${crypto.randomUUID()}.log`);
  return (said) => appendFileSync(file, said);
}

export interface Kept {
  secrets: Secret[];
  /** Every line of every log, without its time, whose digits are nobody's code. */
  lines: string[];
}

export async function everythingKept(): Promise<Kept> {
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
export function found({ secrets, lines }: Kept): { what: string; line: string }[] {
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
