import { hash } from 'node:crypto';

/** Returns the payment hash of a preimage: its SHA-256. Both are 32 bytes in hex. */
export function paymentHashOf(preimage: string): string {
  return hash('sha256', Buffer.from(preimage, 'hex'), 'hex');
}
