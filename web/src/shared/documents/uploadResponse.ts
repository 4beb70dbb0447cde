/** What an answer to a piece of an upload means for it. */

/**
 * `again`: as good as no answer, so it is tried once more. `gone`: the server does not know of the upload any more, so
 * it is begun anew. `refused`: it will not be, and people read why.
 */
export type UploadAction = 'again' | 'gone' | 'refused';

/** `status` 0: no answer came. */
export function classifyStatus(status: number): UploadAction {
  if (status === 404 || status === 410) return 'gone';
  if (status === 0 || status >= 500 || status === 408 || status === 425 || status === 429) return 'again';
  return 'refused';
}

/** Somebody else goes on with the same upload at this moment: worth another try, and after a few a refusal. */
export const isLocked = (status: number) => status === 409 || status === 423;

/** As many as one person may send at once are on their way: this one is among the next. */
export const isRateLimited = (status: number) => status === 429;

/** Whoever signs in again goes on with it: a refusal that leaves the upload where it is. */
export const isSignedOut = (status: number) => status === 401;

/** Keeps the protocol's client from beginning anew, which it does whatever it hears when it asks how far it is. */
export class OffsetUnknownError extends Error {
  constructor(
    readonly status: number,
    /** It was a proxy that answered. */
    readonly fromProxy = false,
  ) {
    super(`HTTP ${status}`);
  }
}

interface UploadError extends Error {
  originalResponse?: { getStatus: () => number } | null;
  causingError?: Error | null;
}

/** The status with which an upload failed; 0 when no answer came. */
export function uploadStatus(error: UploadError): number {
  if (error.originalResponse) return error.originalResponse.getStatus();
  return error.causingError instanceof OffsetUnknownError ? error.causingError.status : 0;
}

/** Whether the server itself did not say how far an upload is. Its refusals have a body, but for this one. */
export const isEmptyServerError = (error: UploadError) =>
  error.causingError instanceof OffsetUnknownError && !error.causingError.fromProxy;
