/**
 * Returns a new Idempotency-Key: 128 random bits in hex. A request that is repeated with the same key is executed once. `crypto.randomUUID`
 * would need a secure context, which a page over http does not have outside of localhost.
 */
export function newAttemptId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
