import { createHash } from 'node:crypto';

/** One side of a transfer, as its account's chain of entries commits to it. */
export interface Entry {
  readonly transferId: string;
  readonly account: number;
  /** Number of this entry on its account, from 1, without a gap. */
  readonly entry: number;
  /** Signed: what the entry added to the account. */
  readonly amountMsat: number;
  readonly balanceMsat: number;
  readonly createdAtMs: number;
}

/**
 * The hash of an entry: SHA-256(hash of the account's previous entry ‖ the entry's fields). Changing or dropping any entry
 * changes every later hash of that account. The chain starts from nothing (an empty previous hash).
 */
export function entryHash(previous: Uint8Array, e: Entry): Uint8Array {
  return createHash('sha256')
    .update(previous)
    .update(`${e.transferId}|${e.account}|${e.entry}|${e.amountMsat}|${e.balanceMsat}|${e.createdAtMs}`)
    .digest();
}
