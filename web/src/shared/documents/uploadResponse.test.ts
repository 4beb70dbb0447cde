import { expect, test } from 'vitest';
import { isRateLimited, classifyStatus, OffsetUnknownError, uploadStatus } from './uploadResponse';

test('only an upload unknown to the server is restarted', () => {
  const meanings = [
    0, 200, 400, 401, 403, 404, 408, 409, 410, 412, 413, 422, 423, 425, 429, 500, 502, 503, 504,
  ];
  const of = (meaning: string) => meanings.filter((status) => classifyStatus(status) === meaning);
  expect(of('restart')).toEqual([404, 410]);
  expect(of('retry')).toEqual([0, 408, 425, 429, 500, 502, 503, 504]);
  expect(meanings.filter(isRateLimited)).toEqual([429]);
});

test('upload error keeps its HTTP status', () => {
  const failure = (what: object) => Object.assign(new Error('failed'), what);
  expect(uploadStatus(failure({ originalResponse: { getStatus: () => 413 } }))).toBe(413);
  expect(uploadStatus(failure({ originalResponse: null, causingError: new OffsetUnknownError(503) }))).toBe(
    503,
  );
  expect(uploadStatus(failure({ originalResponse: null, causingError: new Error('offline') }))).toBe(0);
  expect(uploadStatus(new Error('failed'))).toBe(0);
});
