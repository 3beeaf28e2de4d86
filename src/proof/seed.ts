import { createHmac } from 'node:crypto';

/** Wallets that were made one after the other, by the numbers of their ledger accounts, are shuffled among each other. */
export const WINDOW = 16_384;

const WINDOW_BYTES = 6;
const KEYED_BYTES = 16;

/** A leaf's salt: unknown to everybody who does not have the seed, and another one for each wallet and epoch. */
export function saltOf(seed: Uint8Array, walletId: string): Uint8Array {
  return keyed(seed, 'salt', walletId);
}

/**
 * Where a wallet's leaf stands: leaves are in the bytewise order of their places. Within a window that order is another one in every
 * epoch, so that nobody learns for long what is in the wallet beside theirs. Windows keep memory bounded and rows in order.
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
