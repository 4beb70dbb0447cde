/** Uploads that a reload or a closed page cut off, kept in this browser: they go on once their file is chosen again. */
import { browserStore } from '../../api/browserStorage';

export interface ResumableUpload {
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

const STORAGE_KEY = 'spv-uploads';
/** The server sweeps away what rests for a day. */
const TTL_MS = 23 * 60 * 60 * 1000;

function readAll(): ResumableUpload[] {
  try {
    const stored: unknown = JSON.parse(browserStore.getItem(STORAGE_KEY) ?? '[]');
    const now = Date.now();
    return Array.isArray(stored) ? (stored as ResumableUpload[]).filter(({ at }) => now - at < TTL_MS) : [];
  } catch {
    return [];
  }
}

function writeAll(all: ResumableUpload[]): void {
  if (all.length > 0) browserStore.setItem(STORAGE_KEY, JSON.stringify(all));
  else browserStore.removeItem(STORAGE_KEY);
}

export function saveUpload(upload: ResumableUpload): void {
  writeAll([...readAll().filter(({ url }) => url !== upload.url), upload]);
}

export function saveProgress(url: string, sent: number): void {
  writeAll(readAll().map((upload) => (upload.url === url ? { ...upload, sent, at: Date.now() } : upload)));
}

export function removeUpload(url: string): void {
  writeAll(readAll().filter((upload) => upload.url !== url));
}

/** A page that sends holds this, so that other tabs do not take its upload for cut off. */
const lockName = (url: string) => `spv-upload ${url}`;

/** Holds an upload until the answer is called. */
export function acquireLock(url: string): () => void {
  let release = () => undefined as void;
  // Only pages served securely have locks; without them another tab shows an upload that is still on its way.
  void navigator.locks?.request(
    lockName(url),
    () =>
      new Promise<void>((resolve) => {
        release = resolve;
      }),
  );
  return () => release();
}

/** What was cut off for a person, and is not being sent by another tab. */
export async function resumableUploads(user: string): Promise<ResumableUpload[]> {
  const held = (await navigator.locks?.query())?.held ?? [];
  const names = new Set(held.map(({ name }) => name));
  return readAll().filter((upload) => upload.user === user && !names.has(lockName(upload.url)));
}
