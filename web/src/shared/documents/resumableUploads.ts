/** Uploads that a reload or a closed page cut off, kept in this browser: they go on once their file is chosen again. */
import { browserStore } from '../../api/browserStorage';

export interface CutOff {
  /** Where the server has what has come so far. */
  url: string;
  /** Whose it is: several people may use one browser. */
  user: string;
  target: string;
  name: string;
  bytes: number;
  /** When the file itself was changed last: with name and size it tells that this is the same one. */
  modified: number;
  sent: number;
  /** What it has become, while what it is for is still to be told. */
  documentId?: string;
  /** When something was sent last, in milliseconds. */
  at: number;
}

const key = 'spv-uploads';
/** The server sweeps away what rests for a day. */
const life = 23 * 60 * 60 * 1000;

function read(): CutOff[] {
  try {
    const found: unknown = JSON.parse(browserStore.getItem(key) ?? '[]');
    const now = Date.now();
    return Array.isArray(found) ? (found as CutOff[]).filter(({ at }) => now - at < life) : [];
  } catch {
    return [];
  }
}

function write(all: CutOff[]): void {
  if (all.length > 0) browserStore.setItem(key, JSON.stringify(all));
  else browserStore.removeItem(key);
}

export function note(upload: CutOff): void {
  write([...read().filter(({ url }) => url !== upload.url), upload]);
}

export function progressed(url: string, sent: number): void {
  write(read().map((upload) => (upload.url === url ? { ...upload, sent, at: Date.now() } : upload)));
}

export function forget(url: string): void {
  write(read().filter((upload) => upload.url !== url));
}

/** A page that sends holds this, so that other tabs do not take its upload for cut off. */
const lockOf = (url: string) => `spv-upload ${url}`;

/** Holds an upload until the answer is called. */
export function hold(url: string): () => void {
  let release = () => undefined as void;
  // Only pages served securely have locks; without them another tab shows an upload that is still on its way.
  void navigator.locks?.request(
    lockOf(url),
    () =>
      new Promise<void>((resolve) => {
        release = resolve;
      }),
  );
  return () => release();
}

/** What was cut off for a person, and is not being sent by another tab. */
export async function cutOffOf(user: string): Promise<CutOff[]> {
  const held = (await navigator.locks?.query())?.held ?? [];
  const names = new Set(held.map(({ name }) => name));
  return read().filter((upload) => upload.user === user && !names.has(lockOf(upload.url)));
}
