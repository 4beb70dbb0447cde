import { useEffect, useSyncExternalStore } from 'react';
import type { Upload } from 'tus-js-client';
import { queryClient } from '../../api/cache';
import { connection, heardFetch } from '../../api/connection';
import { ApiError, errorText, fieldErrors, refusal, unreachable } from '../../api/errors';
import { accessToken, accessTokenOf } from '../../api/session';
import { useMe } from '../session/me';
import { isBusy, isForNow, isNext, isOwnSilence, meaningOf, NotGone, statusOf } from './uploadResponse';
import { cutOffOf, forget, hold, note, progressed } from './resumableUploads';

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

export interface Running {
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
const largestPiece = 512 * 1024;
const smallestPiece = 64 * 1024;
/** Halved where a proxy refuses it as too large; the next uploads begin with what went through. */
let pieceBytes = largestPiece;
/** Times that an upload goes on by itself without any progress in between. */
const patience = 5;

let uploads: Running[] = [];
let numbers = 0;
const senders = new Map<number, Upload>();
const tries = new Map<number, number>();
const held = new Map<number, () => void>();
const listeners = new Set<() => void>();

const keyOf = (target: Target) => JSON.stringify(Object.entries(target).toSorted());

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function set(next: Running[]): void {
  uploads = next;
  for (const listener of listeners) listener();
}

function change(id: number, what: Partial<Running>): void {
  set(uploads.map((upload) => (upload.id === id ? { ...upload, ...what } : upload)));
}

export const isOnTheWay = ({ status }: Running) => status === 'sending' || status === 'waiting';

const one = (id: number) => uploads.find((upload) => upload.id === id);

/** The uploads to one target, the oldest first. */
export function useUploads(target: Target): Running[] {
  const all = useSyncExternalStore(subscribe, () => uploads);
  const { id: user } = useMe();
  useEffect(() => void recall(user), [user]);
  const key = keyOf(target);
  return all.filter((upload) => upload.target === key && upload.user === user);
}

/** What is being sent to a target now, outside of a page's drawing. */
export function uploadsTo(target: Target, user: string): Running[] {
  const key = keyOf(target);
  return uploads.filter((upload) => upload.target === key && upload.user === user);
}

let recalled: string | undefined;

/** Takes up what was cut off before this page was loaded. */
async function recall(user: string): Promise<void> {
  if (recalled === user) return;
  recalled = user;
  const found = await cutOffOf(user);
  const known = new Set(uploads.map(({ url }) => url));
  const rows = found
    .filter(({ url }) => !known.has(url))
    .map(({ url, target, name, bytes, modified, sent, documentId }): Running => {
      numbers += 1;
      const status = documentId ? 'unsent' : 'cut_off';
      return {
        id: numbers,
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
  set([...uploads, ...rows]);
}

/** Hears of a file that has become a document. */
export type Kept = (documentId: string) => void;

/**
 * Sends files, all at once. `kept` hears of each that has become a document. `toldLater`: it tells what that is for in
 * a call of its own, and until it has, the document is remembered over a reload.
 */
export async function send(
  files: readonly File[],
  target: Target,
  user: string,
  kept?: Kept,
  toldLater = false,
): Promise<void> {
  // The protocol's client comes with the first file that is sent.
  const { Upload: Sender } = await import('tus-js-client');
  for (const file of files) {
    numbers += 1;
    const id = numbers;
    const { name, size: bytes, lastModified: modified } = file;
    const key = keyOf(target);
    const before = uploads.find(
      (known) =>
        known.status === 'cut_off' &&
        known.user === user &&
        known.target === key &&
        known.name === name &&
        known.bytes === bytes &&
        known.modified === modified,
    );
    const running: Running = {
      id,
      user,
      target: key,
      name,
      bytes,
      modified,
      sent: before?.sent ?? 0,
      status: 'sending',
      toldLater,
    };
    set([...uploads.filter((known) => known !== before), running]);
    const sender = new Sender(file, {
      endpoint: '/storage/v1/uploads',
      uploadUrl: before?.url ?? null,
      chunkSize: pieceBytes,
      retryDelays: [0, 1000, 3000],
      // We keep what is needed to go on after a reload ourselves, beside what people see of it.
      storeFingerprintForResuming: false,
      metadata: { file_name: file.name, ...target },
      onBeforeRequest: async (request) => {
        request.setHeader('Authorization', `Bearer ${(await accessTokenOf(user)) ?? ''}`);
      },
      onShouldRetry: (error) => {
        const status = statusOf(error);
        return navigator.onLine && (meaningOf(status) === 'again' || isBusy(status));
      },
      onAfterResponse: (request, response) => {
        const status = response.getStatus();
        const asked = request.getMethod() === 'HEAD' && (status < 200 || status >= 300);
        // Without the server's own header it is a proxy that says so, and the upload may well be there.
        const ours = response.getHeader('x-request-id') !== undefined;
        if (asked && (meaningOf(status) !== 'gone' || !ours)) throw new NotGone(status, !ours);
        const documentId = response.getHeader('Spv-Document-Id');
        if (documentId) change(id, { documentId });
      },
      onUploadUrlAvailable: () => {
        const { url } = sender;
        if (!url || one(id)?.url === url) return;
        // What the server does not know of any more is begun anew.
        if (before?.url && before.url !== url) forget(before.url);
        change(id, { url });
        const sent = one(id)?.sent ?? 0;
        note({ url, user, target: key, name, bytes, modified, sent, at: Date.now() });
        held.set(id, hold(url));
      },
      onProgress: (sent) => {
        if (sent > 0) tries.delete(id);
        change(id, { sent, status: 'sending' });
      },
      onChunkComplete: (_size, sent) => {
        if (sender.url) progressed(sender.url, sent);
      },
      onSuccess: () => void ended(id, kept),
      onError: (error) => {
        const answer = 'originalResponse' in error ? error.originalResponse : null;
        void failed(id, statusOf(error), answer?.getBody(), isOwnSilence(error));
      },
    });
    senders.set(id, sender);
    sender.start();
  }
}

/** Everything is there. What was cut off before it became a document is kept once a piece of nothing is sent after it. */
async function ended(id: number, kept: Kept | undefined): Promise<void> {
  const { user, url, bytes, documentId } = one(id) ?? {};
  if (user && url && bytes !== undefined && !documentId) {
    const headers = {
      'Tus-Resumable': '1.0.0',
      'Upload-Offset': String(bytes),
      'Content-Type': 'application/offset+octet-stream',
      Authorization: `Bearer ${(await accessTokenOf(user)) ?? ''}`,
    };
    const answer = await heardFetch(url, { method: 'PATCH', headers }).catch(() => null);
    if (!answer?.ok) {
      await failed(id, answer?.status ?? 0, (await answer?.text().catch(() => '')) ?? '');
      return;
    }
    change(id, { documentId: answer.headers.get('Spv-Document-Id') ?? undefined });
  }
  done(id, kept);
}

function done(id: number, kept: Kept | undefined): void {
  const upload = one(id);
  const { url, documentId } = upload ?? {};
  if (upload?.toldLater && url && documentId) {
    const { user, target, name, bytes, modified } = upload;
    note({ url, user, target, name, bytes, modified, sent: bytes, documentId, at: Date.now() });
  } else {
    over(id);
  }
  senders.delete(id);
  change(id, { status: 'done', sent: upload?.bytes ?? 0 });
  for (const noun of ['documents', 'document_requests']) {
    void queryClient.invalidateQueries({ queryKey: [noun] });
  }
  if (upload?.documentId) kept?.(upload.documentId);
}

/** Nothing is left to go on with. */
function over(id: number): void {
  const url = one(id)?.url;
  if (url) forget(url);
  held.get(id)?.();
  held.delete(id);
}

async function failed(id: number, status: number, body = '', silent = false): Promise<void> {
  const why = reasonOf(status, body, silent);
  const fromProxy = why.code.startsWith('proxy_');
  if (why.code === 'proxy_too_large' && takesSmaller(id)) {
    resume(id);
    return;
  }
  if (meaningOf(status) !== 'again') {
    // What a proxy refuses stays on the server: it is there once somebody has seen to the proxy.
    if (!isForNow(status) && !fromProxy) over(id);
    // It stands beside the name of the file: no need to say that it is about the file.
    change(id, { status: 'failed', problem: fieldErrors(why).file ?? errorText(why) });
    return;
  }
  // No answer, or none that says anything of the file: what has been sent stays on the server, and the rest follows.
  // Whose turn has not come, because others of the same person are being sent, waits for as long as it takes.
  const tried = isNext(status) ? 1 : (tries.get(id) ?? 0) + 1;
  tries.set(id, tried);
  if (tried > patience) {
    change(id, { status: 'failed', problem: errorText(why) });
    return;
  }
  change(id, { status: 'waiting' });
  // A server that does answer is given time.
  if (status > 0) await pause(tried * 2000);
  await lineIsBack();
  if (one(id)?.status === 'waiting') resume(id);
}

const pause = (milliseconds: number) => new Promise<void>((end) => void setTimeout(end, milliseconds));

/** Every refusal of the server has a body, but for those of HEAD: another one without is a proxy's. */
function reasonOf(status: number, body: string, silent: boolean): ApiError {
  if (status === 0) return unreachable();
  return silent ? new ApiError(status, null) : refusal(status, body);
}

/** Halves the pieces of an upload after a proxy's 413, down to the smallest that makes sense. */
function takesSmaller(id: number): boolean {
  const sender = senders.get(id);
  const half = (sender?.options.chunkSize ?? 0) / 2;
  if (!sender || half < smallestPiece) return false;
  sender.options.chunkSize = half;
  pieceBytes = Math.min(pieceBytes, half);
  return true;
}

async function lineIsBack(): Promise<void> {
  for (;;) {
    const answer = await heardFetch('/healthz', { cache: 'no-store' }).catch(() => null);
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
export function unsent(id: number, problem: string): void {
  change(id, { status: 'unsent', problem });
}

/** Notes that what an upload is for is being told once more. */
export function sendingAgain(id: number): void {
  change(id, { status: 'done', problem: undefined });
}

/** Goes on with an upload that failed or waits. */
export function resume(id: number): void {
  // Whoever tries again by hand has patience again.
  if (one(id)?.status === 'failed') tries.delete(id);
  change(id, { status: 'sending', problem: undefined });
  senders.get(id)?.start();
}

/** Ends an upload; nothing of it stays on the server. One that is over only leaves the list. */
export function dismiss(id: number): void {
  const upload = one(id);
  const sender = senders.get(id);
  senders.delete(id);
  over(id);
  set(uploads.filter((known) => known.id !== id));
  // What cannot be taken back now is swept away by the server.
  sender?.abort(sender.url !== null).catch(() => undefined);
  if (upload?.status === 'cut_off' && upload.url) void takeBack(upload.url);
}

async function takeBack(url: string): Promise<void> {
  const headers = { 'tus-resumable': '1.0.0', authorization: `Bearer ${(await accessToken()) ?? ''}` };
  await heardFetch(url, { method: 'DELETE', headers }).catch(() => undefined);
}
