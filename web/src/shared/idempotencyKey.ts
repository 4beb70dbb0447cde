/** A name that nothing else has, as an Idempotency-Key. Not `crypto.randomUUID`: browsers have that on https and localhost only. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
