import { useEffect, useSyncExternalStore } from 'react';
import type { Upload } from 'tus-js-client';
import { queryClient } from '../../api/cache';
import { connection, trackedFetch } from '../../api/connection';
import { ApiError, errorText, fieldErrors, responseError, unreachableError } from '../../api/errors';
import { accessToken, accessTokenFor } from '../../api/session';
import { useMe } from '../session/me';
import { isLocked, isSignedOut, isRateLimited, isEmptyServerError, classifyStatus, OffsetUnknownError, uploadStatus } from './uploadResponse';
import { resumableUploads, removeUpload, acquireLock, saveUpload, saveProgress } from './resumableUploads';

/**
 * Uploads on their way. They live beside the pages, so that going to another one does not end them, go on by
 * themselves where a lost connection cut them off, and after a reload once the same file is chosen again.
 */

/** What an upload is to be: another version, what was asked for, something for an order, or something of the client's. */
export interface Target {
  document_id?: string;
  request_id?: string;
  spv_id?: string;
  client_id?: string;
  /** What it will hang on, as this page calls it: a message, a request or an invoice, which then tells of it. */
  attach?: string;
}

export interface RunningUpload {
  id: number;
  /** Who sends it: somebody else may sign in on the same page. */
  user: string;
  target: string;
  name: string;
  bytes: number;
  modified: number;
  sent: number;
  /**
   * `waiting`: for the connection; `cut_off`: for its file, which a reload took from us; `unsent`: it is there, and what
   * it was for could not be told.
   */
  status: 'sending' | 'waiting' | 'failed' | 'done' | 'cut_off' | 'unsent';
  /** Where the server has it. */
  url?: string;
  /** Why it failed, in words. */
  problem?: string;
  /** What it became. */
  documentId?: string;
  /** What it is for is told in a call of its own, once it is there. */
  toldLater?: boolean;
}

/** Below the 1 MB that nginx takes in one request as it comes. */
const MAX_CHUNK_BYTES = 512 * 1024;
const MIN_CHUNK_BYTES = 64 * 1024;
/** Halved where a proxy refuses it as too large; the next uploads begin with what went through. */
let chunkBytes = MAX_CHUNK_BYTES;
/** Times that an upload goes on by itself without any progress in between. */
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

/** The uploads to one target, the oldest first. */
export function useUploads(target: Target): RunningUpload[] {
  const all = useSyncExternalStore(subscribe, () => uploads);
  const { id: user } = useMe();
  useEffect(() => void restoreUploads(user), [user]);
  const key = targetKey(target);
  return all.filter((upload) => upload.target === key && upload.user === user);
}

/** What is being sent to a target now, outside of a page's drawing. */
export function uploadsForTarget(target: Target, user: string): RunningUpload[] {
  const key = targetKey(target);
  return uploads.filter((upload) => upload.target === key && upload.user === user);
}

let restoredUser: string | undefined;

/** Takes up what was cut off before this page was loaded. */
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

/** Hears of a file that has become a document. */
export type OnUploaded = (documentId: string) => void;

/**
 * Sends files, all at once. `kept` hears of each that has become a document. `toldLater`: it tells what that is for in
 * a call of its own, and until it has, the document is remembered over a reload.
 */
export async function sendFiles(
  files: readonly File[],
  target: Target,
  user: string,
  onUploaded?: OnUploaded,
  toldLater = false,
): Promise<void> {
  // The protocol's client comes with the first file that is sent.
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
      toldLater,
    };
    setUploads([...uploads.filter((known) => known !== interrupted), running]);
    const sender = new Sender(file, {
      endpoint: '/storage/v1/uploads',
      uploadUrl: interrupted?.url ?? null,
      chunkSize: chunkBytes,
      retryDelays: [0, 1000, 3000],
      // We keep what is needed to go on after a reload ourselves, beside what people see of it.
      storeFingerprintForResuming: false,
      metadata: { file_name: file.name, ...target },
      onBeforeRequest: async (request) => {
        request.setHeader('Authorization', `Bearer ${(await accessTokenFor(user)) ?? ''}`);
      },
      onShouldRetry: (error) => {
        const status = uploadStatus(error);
        return navigator.onLine && (classifyStatus(status) === 'again' || isLocked(status));
      },
      onAfterResponse: (request, response) => {
        const status = response.getStatus();
        const asked = request.getMethod() === 'HEAD' && (status < 200 || status >= 300);
        // Without the server's own header it is a proxy that says so, and the upload may well be there.
        const ours = response.getHeader('x-request-id') !== undefined;
        if (asked && (classifyStatus(status) !== 'gone' || !ours)) throw new OffsetUnknownError(status, !ours);
        const documentId = response.getHeader('Spv-Document-Id');
        if (documentId) updateUpload(id, { documentId });
      },
      onUploadUrlAvailable: () => {
        const { url } = sender;
        if (!url || findUpload(id)?.url === url) return;
        // What the server does not know of any more is begun anew.
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

/** Everything is there. What was cut off before it became a document is kept once a piece of nothing is sent after it. */
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
  if (upload?.toldLater && url && documentId) {
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

/** Nothing is left to go on with. */
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
  if (classifyStatus(status) !== 'again') {
    // What a proxy refuses stays on the server: it is there once somebody has seen to the proxy.
    if (!isSignedOut(status) && !fromProxy) releaseUpload(id);
    // It stands beside the name of the file: no need to say that it is about the file.
    updateUpload(id, { status: 'failed', problem: fieldErrors(error).file ?? errorText(error) });
    return;
  }
  // No answer, or none that says anything of the file: what has been sent stays on the server, and the rest follows.
  // Whose turn has not come, because others of the same person are being sent, waits for as long as it takes.
  const tried = isRateLimited(status) ? 1 : (retries.get(id) ?? 0) + 1;
  retries.set(id, tried);
  if (tried > MAX_RETRIES) {
    updateUpload(id, { status: 'failed', problem: errorText(error) });
    return;
  }
  updateUpload(id, { status: 'waiting' });
  // A server that does answer is given time.
  if (status > 0) await wait(tried * 2000);
  await waitForConnection();
  if (findUpload(id)?.status === 'waiting') resumeUpload(id);
}

const wait = (milliseconds: number) => new Promise<void>((end) => void setTimeout(end, milliseconds));

/** Every refusal of the server has a body, but for those of HEAD: another one without is a proxy's. */
function uploadError(status: number, body: string, silent: boolean): ApiError {
  if (status === 0) return unreachableError();
  return silent ? new ApiError(status, null) : responseError(status, body);
}

/** Halves the pieces of an upload after a proxy's 413, down to the smallest that makes sense. */
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
    const answer = await trackedFetch('/healthz', { cache: 'no-store' }).catch(() => null);
    if (answer?.ok) return;
    // Nobody is told of a line that was gone for one call only: so it is looked at from time to time as well.
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

/** Notes that what an upload was for could not be told; it is there, and can be told of again. */
export function markUnattached(id: number, problem: string): void {
  updateUpload(id, { status: 'unsent', problem });
}

/** Notes that what an upload is for is being told once more. */
export function markAttaching(id: number): void {
  updateUpload(id, { status: 'done', problem: undefined });
}

/** Goes on with an upload that failed or waits. */
export function resumeUpload(id: number): void {
  // Whoever tries again by hand has patience again.
  if (findUpload(id)?.status === 'failed') retries.delete(id);
  updateUpload(id, { status: 'sending', problem: undefined });
  senders.get(id)?.start();
}

/** Ends an upload; nothing of it stays on the server. One that is over only leaves the list. */
export function dismissUpload(id: number): void {
  const upload = findUpload(id);
  const sender = senders.get(id);
  senders.delete(id);
  releaseUpload(id);
  setUploads(uploads.filter((known) => known.id !== id));
  // What cannot be taken back now is swept away by the server.
  sender?.abort(sender.url !== null).catch(() => undefined);
  if (upload?.status === 'cut_off' && upload.url) void deleteUpload(upload.url);
}

async function deleteUpload(url: string): Promise<void> {
  const headers = { 'tus-resumable': '1.0.0', authorization: `Bearer ${(await accessToken()) ?? ''}` };
  await trackedFetch(url, { method: 'DELETE', headers }).catch(() => undefined);
}
