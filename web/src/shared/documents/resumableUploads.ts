/**
 * Resumable uploads: interrupted by reload or close, stored in this browser, and resumed when the same file is chosen.
 */
import { browserStore } from '../../api/browserStorage';

export interface ResumableUpload {
  /** Upload URL (tus). */
  url: string;
  /** Owner: several users may share a browser. */
  user: string;
  target: string;
  name: string;
  bytes: number;
  /** Last modification of the file: identifies it with name and size. */
  modified: number;
  sent: number;
  /** Finished document, while attaching it is pending. */
  documentId?: string;
  /** Last progress, in milliseconds. */
  at: number;
}

const STORAGE_KEY = 'spv-uploads';
/** TTL, just below the server expiry of one day. */
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

/** Web Lock held while sending, so other tabs do not offer the upload. */
const lockName = (url: string) => `spv-upload ${url}`;

/** Acquires the lock of an upload; returns its release. */
export function acquireLock(url: string): () => void {
  let release = () => undefined as void;
  // Locks need a secure context; without one another tab may offer a running upload.
  void navigator.locks?.request(
    lockName(url),
    () =>
      new Promise<void>((resolve) => {
        release = resolve;
      }),
  );
  return () => release();
}

/** Interrupted uploads of a user that no other tab is sending. */
export async function resumableUploads(user: string): Promise<ResumableUpload[]> {
  const held = (await navigator.locks?.query())?.held ?? [];
  const names = new Set(held.map(({ name }) => name));
  return readAll().filter((upload) => upload.user === user && !names.has(lockName(upload.url)));
}
