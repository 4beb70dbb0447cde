import { useSyncExternalStore } from 'react';
import type { DetailedError, Upload } from 'tus-js-client';
import { queryClient } from '../../api/cache';
import { connection, heardFetch } from '../../api/connection';
import { ApiError, errorText } from '../../api/errors';
import { accessToken } from '../../api/session';
import type { ErrorBody } from '../../api/types';

/**
 * Uploads on their way. They live beside the pages, so that going to another one does not end them, and go on by
 * themselves where a lost connection cut them off.
 */

/** What an upload is to be: another version, what was asked for, something for an order, or something of the client's. */
export interface Target {
  document_id?: string;
  request_id?: string;
  spv_id?: string;
  client_id?: string;
}

export interface Running {
  id: number;
  target: string;
  name: string;
  bytes: number;
  sent: number;
  /** `waiting`: for the connection. */
  status: 'sending' | 'waiting' | 'failed' | 'done';
  /** Why it failed, in words. */
  problem?: string;
  /** What it became. */
  documentId?: string;
}

const piece = 4 * 1024 * 1024;
/** Times that an upload goes on by itself without any progress in between. */
const patience = 5;

let uploads: Running[] = [];
let numbers = 0;
const senders = new Map<number, Upload>();
const tries = new Map<number, number>();
const listeners = new Set<() => void>();

const keyOf = (target: Target) => JSON.stringify(Object.entries(target).toSorted());

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function change(id: number, what: Partial<Running>): void {
  uploads = uploads.map((upload) => (upload.id === id ? { ...upload, ...what } : upload));
  for (const listener of listeners) listener();
}

/** The uploads to one target, the oldest first. */
export function useUploads(target: Target): Running[] {
  const all = useSyncExternalStore(subscribe, () => uploads);
  const key = keyOf(target);
  return all.filter((upload) => upload.target === key);
}

export type Kept = (documentId: string) => void;

/** Sends files, all at once. `kept` hears of each that has become a document. */
export async function send(files: readonly File[], target: Target, kept?: Kept): Promise<void> {
  // The protocol's client comes with the first file that is sent.
  const { Upload: Sender } = await import('tus-js-client');
  for (const file of files) {
    numbers += 1;
    const id = numbers;
    const running = { id, target: keyOf(target), name: file.name, bytes: file.size, sent: 0 };
    uploads = [...uploads, { ...running, status: 'sending' }];
    change(id, {});
    const sender = new Sender(file, {
      endpoint: '/storage/v1/uploads',
      chunkSize: piece,
      retryDelays: [0, 1000, 3000],
      storeFingerprintForResuming: false,
      metadata: { file_name: file.name, ...target },
      onBeforeRequest: async (request) => {
        request.setHeader('Authorization', `Bearer ${(await accessToken()) ?? ''}`);
      },
      onAfterResponse: (_request, response) => {
        const documentId = response.getHeader('Spv-Document-Id');
        if (documentId) change(id, { documentId });
      },
      onProgress: (sent) => {
        if (sent > 0) tries.delete(id);
        change(id, { sent, status: 'sending' });
      },
      onSuccess: () => done(id, kept),
      onError: (error) => void failed(id, error),
    });
    senders.set(id, sender);
    sender.start();
  }
}

function done(id: number, kept: Kept | undefined): void {
  change(id, { status: 'done', sent: uploads.find((upload) => upload.id === id)?.bytes ?? 0 });
  senders.delete(id);
  for (const noun of ['documents', 'document_requests']) {
    void queryClient.invalidateQueries({ queryKey: [noun] });
  }
  const documentId = uploads.find((upload) => upload.id === id)?.documentId;
  if (documentId) kept?.(documentId);
}

async function failed(id: number, error: Error | DetailedError): Promise<void> {
  const answer = 'originalResponse' in error ? error.originalResponse : null;
  if (answer && answer.getStatus() >= 400) {
    change(id, { status: 'failed', problem: errorText(refusal(answer.getStatus(), answer.getBody())) });
    return;
  }
  // No answer: the line is gone. What has been sent stays on the server, and the rest follows when it is back.
  const tried = (tries.get(id) ?? 0) + 1;
  tries.set(id, tried);
  if (tried > patience) {
    change(id, { status: 'failed', problem: errorText(new ApiError(0, unreachable)) });
    return;
  }
  change(id, { status: 'waiting' });
  await lineIsBack();
  if (uploads.some((upload) => upload.id === id && upload.status === 'waiting')) resume(id);
}

const unreachable: ErrorBody = { code: 'unreachable', message: 'unreachable', request_id: '' };

function refusal(status: number, body: string): ApiError {
  try {
    return new ApiError(status, JSON.parse(body) as ErrorBody);
  } catch {
    return new ApiError(status, null);
  }
}

async function lineIsBack(): Promise<void> {
  try {
    await heardFetch('/healthz', { cache: 'no-store' });
  } catch {
    await new Promise<void>((resolve) => {
      const stop = connection.subscribe(() => {
        if (connection.isLost) return;
        stop();
        resolve();
      });
    });
  }
}

/** Goes on with an upload that failed or waits. */
export function resume(id: number): void {
  change(id, { status: 'sending', problem: undefined });
  senders.get(id)?.start();
}

/** Ends an upload; nothing of it stays on the server. One that is over only leaves the list. */
export function dismiss(id: number): void {
  const sender = senders.get(id);
  senders.delete(id);
  uploads = uploads.filter((upload) => upload.id !== id);
  for (const listener of listeners) listener();
  // What cannot be taken back now is swept away by the server.
  sender?.abort(sender.url !== null).catch(() => undefined);
}
