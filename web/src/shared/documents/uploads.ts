import { useEffect, useSyncExternalStore } from 'react';
import type { Upload } from 'tus-js-client';
import { toPublicPath } from '../../basePath';
import { queryClient } from '../../api/cache';
import { connection, trackedFetch } from '../../api/connection';
import { ApiError, errorText, fieldErrors, responseError, unreachableError } from '../../api/errors';
import { accessToken, accessTokenFor } from '../../api/session';
import { useMe } from '../session/me';
import {
  isLocked,
  isSignedOut,
  isRateLimited,
  isEmptyServerError,
  classifyStatus,
  OffsetUnknownError,
  uploadStatus,
} from './uploadResponse';
import { resumableUploads, removeUpload, acquireLock, saveUpload, saveProgress } from './resumableUploads';

/**
 * Resumable uploads (tus) in the background: they survive navigation, retry after connection loss, and resume after a
 * reload once the same file is chosen.
 */

/** Target of an upload: a new version, a document request, an order, or a client. */
export interface Target {
  document_id?: string;
  request_id?: string;
  spv_id?: string;
  client_id?: string;
  /** Client-side key of the message, request or invoice that will attach it. */
  attach?: string;
}

export interface RunningUpload {
  id: number;
  /** Sender: another user may sign in on the same page. */
  user: string;
  target: string;
  name: string;
  bytes: number;
  modified: number;
  sent: number;
  /**
   * `waiting`: for the connection; `cut_off`: interrupted, needs its file again; `unsent`: uploaded, but attaching it
   * failed.
   */
  status: 'sending' | 'waiting' | 'failed' | 'done' | 'cut_off' | 'unsent';
  /** Upload URL on the server. */
  url?: string;
  /** Error message. */
  problem?: string;
  /** Resulting document. */
  documentId?: string;
  /** Attached by a later call, once uploaded. */
  attachLater?: boolean;
}

/** Chunk size below the 1 MB default limit of nginx. */
const MAX_CHUNK_BYTES = 512 * 1024;
const MIN_CHUNK_BYTES = 64 * 1024;
/** Halved on 413 from a proxy; later uploads start with the reduced size. */
let chunkBytes = MAX_CHUNK_BYTES;
/** Automatic retries without progress. */
const MAX_RETRIES = 5;

let uploads: RunningUpload[] = [];
let lastId = 0;
const senders = new Map<number, Upload>();
const retries = new Map<number, number>();
const locks = new Map<number, () => void>();
const listeners = new Set<() => void>();

const targetKey = (target: Target) => JSON.stringify(Object.entries(target).toSorted());

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function setUploads(next: RunningUpload[]): void {
  uploads = next;
  for (const listener of listeners) listener();
}

function updateUpload(id: number, what: Partial<RunningUpload>): void {
  setUploads(uploads.map((upload) => (upload.id === id ? { ...upload, ...what } : upload)));
}

export const isUploading = ({ status }: RunningUpload) => status === 'sending' || status === 'waiting';

const findUpload = (id: number) => uploads.find((upload) => upload.id === id);

/** Uploads of a target, oldest first. */
export function useUploads(target: Target): RunningUpload[] {
  const all = useSyncExternalStore(subscribe, () => uploads);
  const { id: user } = useMe();
  useEffect(() => void restoreUploads(user), [user]);
  const key = targetKey(target);
  return all.filter((upload) => upload.target === key && upload.user === user);
}

/** Uploads of a target, outside of rendering. */
export function uploadsForTarget(target: Target, user: string): RunningUpload[] {
  const key = targetKey(target);
  return uploads.filter((upload) => upload.target === key && upload.user === user);
}

let restoredUser: string | undefined;

/** Restores interrupted uploads of earlier pages. */
async function restoreUploads(user: string): Promise<void> {
  if (restoredUser === user) return;
  restoredUser = user;
  const stored = await resumableUploads(user);
  const known = new Set(uploads.map(({ url }) => url));
  const rows = stored
    .filter(({ url }) => !known.has(url))
    .map(({ url, target, name, bytes, modified, sent, documentId }): RunningUpload => {
      lastId += 1;
      const status = documentId ? 'unsent' : 'cut_off';
      return {
        id: lastId,
        user,
        url,
        target,
        name,
        bytes,
        modified,
        sent,
        documentId,
        status,
      };
    });
  setUploads([...uploads, ...rows]);
}

/** Called when a file has become a document. */
export type OnUploaded = (documentId: string) => void;

/**
 * Uploads files in parallel. `onUploaded` is called per document. With `attachLater` the document is attached by a later
 * call and remembered across reloads until then.
 */
export async function sendFiles(
  files: readonly File[],
  target: Target,
  user: string,
  onUploaded?: OnUploaded,
  attachLater = false,
): Promise<void> {
  // Lazy: the tus client loads with the first upload.
  const { Upload: Sender } = await import('tus-js-client');
  for (const file of files) {
    lastId += 1;
    const id = lastId;
    const { name, size: bytes, lastModified: modified } = file;
    const key = targetKey(target);
    const interrupted = uploads.find(
      (known) =>
        known.status === 'cut_off' &&
        known.user === user &&
        known.target === key &&
        known.name === name &&
        known.bytes === bytes &&
        known.modified === modified,
    );
    const running: RunningUpload = {
      id,
      user,
      target: key,
      name,
      bytes,
      modified,
      sent: interrupted?.sent ?? 0,
      status: 'sending',
      attachLater,
    };
    setUploads([...uploads.filter((known) => known !== interrupted), running]);
    const sender = new Sender(file, {
      endpoint: toPublicPath('/storage/v1/uploads'),
      uploadUrl: interrupted?.url ?? null,
      chunkSize: chunkBytes,
      retryDelays: [0, 1000, 3000],
      // Resume state is stored in resumableUploads, with what the list shows.
      storeFingerprintForResuming: false,
      metadata: { file_name: file.name, ...target },
      onBeforeRequest: async (request) => {
        request.setHeader('Authorization', `Bearer ${(await accessTokenFor(user)) ?? ''}`);
      },
      onShouldRetry: (error) => {
        const status = uploadStatus(error);
        return navigator.onLine && (classifyStatus(status) === 'retry' || isLocked(status));
      },
      onAfterResponse: (request, response) => {
        const status = response.getStatus();
        const offsetFailed = request.getMethod() === 'HEAD' && (status < 200 || status >= 300);
        // Without X-Request-Id the response is from a proxy, and the upload may still exist.
        const fromServer = response.getHeader('x-request-id') !== undefined;
        if (offsetFailed && (classifyStatus(status) !== 'restart' || !fromServer))
          throw new OffsetUnknownError(status, !fromServer);
        const documentId = response.getHeader('Spv-Document-Id');
        if (documentId) updateUpload(id, { documentId });
      },
      onUploadUrlAvailable: () => {
        const { url } = sender;
        if (!url || findUpload(id)?.url === url) return;
        // The server lost the upload, so it restarted.
        if (interrupted?.url && interrupted.url !== url) removeUpload(interrupted.url);
        updateUpload(id, { url });
        const sent = findUpload(id)?.sent ?? 0;
        saveUpload({ url, user, target: key, name, bytes, modified, sent, at: Date.now() });
        locks.set(id, acquireLock(url));
      },
      onProgress: (sent) => {
        if (sent > 0) retries.delete(id);
        updateUpload(id, { sent, status: 'sending' });
      },
      onChunkComplete: (_size, sent) => {
        if (sender.url) saveProgress(sender.url, sent);
      },
      onSuccess: () => void confirmUpload(id, onUploaded),
      onError: (error) => {
        const answer = 'originalResponse' in error ? error.originalResponse : null;
        void handleFailure(id, uploadStatus(error), answer?.getBody(), isEmptyServerError(error));
      },
    });
    senders.set(id, sender);
    sender.start();
  }
}

/** All bytes are sent. If no document id arrived (interrupted), an empty final chunk completes the upload. */
async function confirmUpload(id: number, onUploaded: OnUploaded | undefined): Promise<void> {
  const { user, url, bytes, documentId } = findUpload(id) ?? {};
  if (user && url && bytes !== undefined && !documentId) {
    const headers = {
      'Tus-Resumable': '1.0.0',
      'Upload-Offset': String(bytes),
      'Content-Type': 'application/offset+octet-stream',
      Authorization: `Bearer ${(await accessTokenFor(user)) ?? ''}`,
    };
    const answer = await trackedFetch(url, { method: 'PATCH', headers }).catch(() => null);
    if (!answer?.ok) {
      await handleFailure(id, answer?.status ?? 0, (await answer?.text().catch(() => '')) ?? '');
      return;
    }
    updateUpload(id, { documentId: answer.headers.get('Spv-Document-Id') ?? undefined });
  }
  finishUpload(id, onUploaded);
}

function finishUpload(id: number, onUploaded: OnUploaded | undefined): void {
  const upload = findUpload(id);
  const { url, documentId } = upload ?? {};
  if (upload?.attachLater && url && documentId) {
    const { user, target, name, bytes, modified } = upload;
    saveUpload({ url, user, target, name, bytes, modified, sent: bytes, documentId, at: Date.now() });
  } else {
    releaseUpload(id);
  }
  senders.delete(id);
  updateUpload(id, { status: 'done', sent: upload?.bytes ?? 0 });
  for (const noun of ['documents', 'document_requests']) {
    void queryClient.invalidateQueries({ queryKey: [noun] });
  }
  if (upload?.documentId) onUploaded?.(upload.documentId);
}

/** Removes the resume state and the lock. */
function releaseUpload(id: number): void {
  const url = findUpload(id)?.url;
  if (url) removeUpload(url);
  locks.get(id)?.();
  locks.delete(id);
}

async function handleFailure(id: number, status: number, body = '', silent = false): Promise<void> {
  const error = uploadError(status, body, silent);
  const fromProxy = error.code.startsWith('proxy_');
  if (error.code === 'proxy_too_large' && halveChunkSize(id)) {
    resumeUpload(id);
    return;
  }
  if (classifyStatus(status) !== 'retry') {
    // After a proxy error the upload stays on the server and can resume once the proxy is fixed.
    if (!isSignedOut(status) && !fromProxy) releaseUpload(id);
    // Shown beside the file name, so the field error needs no prefix.
    updateUpload(id, { status: 'failed', problem: fieldErrors(error).file ?? errorText(error) });
    return;
  }
  // No usable response: sent bytes stay on the server, and the rest follows. Uploads over the concurrency limit wait
  // without counting retries.
  const attempts = isRateLimited(status) ? 1 : (retries.get(id) ?? 0) + 1;
  retries.set(id, attempts);
  if (attempts > MAX_RETRIES) {
    updateUpload(id, { status: 'failed', problem: errorText(error) });
    return;
  }
  updateUpload(id, { status: 'waiting' });
  // A responding server gets a delay.
  if (status > 0) await wait(attempts * 2000);
  await waitForConnection();
  if (findUpload(id)?.status === 'waiting') resumeUpload(id);
}

const wait = (milliseconds: number) => new Promise<void>((end) => void setTimeout(end, milliseconds));

/** Server errors have a body, except for HEAD; others without one are from a proxy. */
function uploadError(status: number, body: string, silent: boolean): ApiError {
  if (status === 0) return unreachableError();
  return silent ? new ApiError(status, null) : responseError(status, body);
}

/** Halves the chunk size after a 413 of a proxy, down to the minimum. */
function halveChunkSize(id: number): boolean {
  const sender = senders.get(id);
  const half = (sender?.options.chunkSize ?? 0) / 2;
  if (!sender || half < MIN_CHUNK_BYTES) return false;
  sender.options.chunkSize = half;
  chunkBytes = Math.min(chunkBytes, half);
  return true;
}

async function waitForConnection(): Promise<void> {
  for (;;) {
    const answer = await trackedFetch(toPublicPath('/healthz'), { cache: 'no-store' }).catch(() => null);
    if (answer?.ok) return;
    // The connection may have failed for a single call without an event, so it is also polled.
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        stop();
        resolve();
      };
      const timer = setTimeout(end, 3000);
      const stop = connection.subscribe(() => {
        if (!connection.isLost) end();
      });
    });
  }
}

/** Marks an upload whose attach call failed; it can be retried. */
export function markUnattached(id: number, problem: string): void {
  updateUpload(id, { status: 'unsent', problem });
}

/** Marks an upload whose attach call is being retried. */
export function markAttaching(id: number): void {
  updateUpload(id, { status: 'done', problem: undefined });
}

/** Resumes a failed or waiting upload. */
export function resumeUpload(id: number): void {
  // A manual retry resets the counter.
  if (findUpload(id)?.status === 'failed') retries.delete(id);
  updateUpload(id, { status: 'sending', problem: undefined });
  senders.get(id)?.start();
}

/** Cancels an upload and deletes it on the server; a finished one only leaves the list. */
export function dismissUpload(id: number): void {
  const upload = findUpload(id);
  const sender = senders.get(id);
  senders.delete(id);
  releaseUpload(id);
  setUploads(uploads.filter((known) => known.id !== id));
  // The server cleans up what cannot be deleted now.
  sender?.abort(sender.url !== null).catch(() => undefined);
  if (upload?.status === 'cut_off' && upload.url) void deleteUpload(upload.url);
}

async function deleteUpload(url: string): Promise<void> {
  const headers = { 'tus-resumable': '1.0.0', authorization: `Bearer ${(await accessToken()) ?? ''}` };
  await trackedFetch(url, { method: 'DELETE', headers }).catch(() => undefined);
}
