/** Classification of upload responses. */

/** `retry`: temporary. `restart`: unknown upload. `reject`: permanent, shown to the user. */
export type UploadAction = 'retry' | 'restart' | 'reject';

/** `status` 0: no response. */
export function classifyStatus(status: number): UploadAction {
  if (status === 404 || status === 410) return 'restart';
  if (status === 0 || status >= 500 || status === 408 || status === 425 || status === 429) return 'retry';
  return 'reject';
}

/** Upload locked by another request: retry, then fail. */
export const isLocked = (status: number) => status === 409 || status === 423;

/** Concurrent upload limit of the user: waits for a slot. */
export const isRateLimited = (status: number) => status === 429;

/** Signed out: the upload stays on the server and resumes after sign-in. */
export const isSignedOut = (status: number) => status === 401;

/** Stops tus-js-client from restarting after any failed offset request. */
export class OffsetUnknownError extends Error {
  constructor(
    readonly status: number,
    /** The response came from a proxy. */
    readonly fromProxy = false,
  ) {
    super(`HTTP ${status}`);
  }
}

interface UploadError extends Error {
  originalResponse?: { getStatus: () => number } | null;
  causingError?: Error | null;
}

/** HTTP status of a failed upload; 0 without a response. */
export function uploadStatus(error: UploadError): number {
  if (error.originalResponse) return error.originalResponse.getStatus();
  return error.causingError instanceof OffsetUnknownError ? error.causingError.status : 0;
}

/** Whether the server itself failed an offset request (HEAD), whose responses have no body. */
export const isEmptyServerError = (error: UploadError) =>
  error.causingError instanceof OffsetUnknownError && !error.causingError.fromProxy;
