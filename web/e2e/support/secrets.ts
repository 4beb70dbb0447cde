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
export function areNoted(text: string | null | undefined): void {
  if (!text || !folder()) return;
  if (/^https?:/.test(text)) {
    const url = new URL(text);
    for (const pairs of [url.searchParams, new URLSearchParams(url.hash.slice(1))]) fromPairs(pairs);
    return;
  }
  try {
    fromJson(JSON.parse(text));
  } catch {
    fromPairs(new URLSearchParams(text));
  }
}

function fromPairs(pairs: URLSearchParams): void {
  for (const [name, value] of pairs) if (names.has(name)) isNoted(name, value);
}

function fromJson(value: unknown, under = ''): void {
  if (typeof value === 'string' && names.has(under)) isNoted(under, value);
  if (Array.isArray(value)) for (const one of value) fromJson(one, under);
  else if (typeof value === 'object' && value !== null) {
    for (const [name, part] of Object.entries(value)) fromJson(part, name);
  }
}

/** Listens to all that a browser says to the sign-in and hears from it. */
export function areHeardIn(context: BrowserContext): void {
  context.on('request', (request) => {
    areNoted(request.url());
    if (request.url().includes('/auth/v1/')) areNoted(request.postData());
  });
  context.on('response', (response) => {
    areNoted(response.headers().location);
    // A refusal's `code` is its name.
    if (!response.ok() || !response.url().includes('/auth/v1/')) return;
    response.text().then(areNoted, () => undefined);
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
