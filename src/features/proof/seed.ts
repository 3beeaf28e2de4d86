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
 * Returns the sort key of a wallet's leaf; leaves are sorted by it, bytewise. Within a window the order changes in every epoch, so that an
 * owner sees the balance of a neighbour once and not over time. Windows bound memory and keep the rows in order.
 */
export function leafSortKey(seed: Uint8Array, walletId: string, account: number): Uint8Array {
  const sortKey = Buffer.alloc(WINDOW_BYTES + KEYED_BYTES);
  sortKey.writeUIntBE(windowOf(account), 0, WINDOW_BYTES);
  keyed(seed, 'order', walletId).copy(sortKey, WINDOW_BYTES, 0, KEYED_BYTES);
  return sortKey;
}

export function windowOf(account: number): number {
  return Math.floor(account / WINDOW);
}

function keyed(seed: Uint8Array, purpose: 'salt' | 'order', walletId: string): Buffer {
  return createHmac('sha256', seed).update(`${purpose} ${walletId}`).digest();
}
