import { createHmac } from 'node:crypto';

/** How many consecutive ledger accounts are shuffled together. */
export const WINDOW = 16_384;

const WINDOW_BYTES = 6;
const KEYED_BYTES = 16;

/** Returns the salt of a leaf: different for each wallet and epoch, and not computable without the seed. */
export function saltOf(seed: Uint8Array, walletId: string): Uint8Array {
  return keyed(seed, 'salt', walletId);
}

/**
 * Returns the place of a wallet's leaf; leaves are sorted by place, bytewise. Within a window the order changes in every epoch, so that an
 * owner sees the balance of a neighbour once and not over time. Windows bound memory and keep the rows in order.
 */
export function placeOf(seed: Uint8Array, walletId: string, account: number): Uint8Array {
  const place = Buffer.alloc(WINDOW_BYTES + KEYED_BYTES);
  place.writeUIntBE(windowOf(account), 0, WINDOW_BYTES);
  keyed(seed, 'place', walletId).copy(place, WINDOW_BYTES, 0, KEYED_BYTES);
  return place;
}

export function windowOf(account: number): number {
  return Math.floor(account / WINDOW);
}

function keyed(seed: Uint8Array, purpose: 'salt' | 'place', walletId: string): Buffer {
  return createHmac('sha256', seed).update(`${purpose} ${walletId}`).digest();
}
