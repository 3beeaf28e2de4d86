import { type Msat, msat } from '../../core/kernel/money.ts';
import type { EpochFacts } from './hashes.ts';
import type { EpochRow } from './proof.sql.ts';

/** A published epoch. */
export interface Epoch extends EpochFacts {
  readonly root: Uint8Array;
}

/** The proof of one wallet's balance in an epoch. */
export interface WalletProof {
  readonly epoch: Epoch;
  /** The index of the leaf from the left, from 0. */
  readonly index: number;
  readonly walletId: string;
  readonly salt: Uint8Array;
  readonly balanceMsat: Msat;
  readonly head: Uint8Array;
  /** The siblings on the path to the top, from below, and on which side each of them is. */
  readonly path: readonly { readonly side: 'left' | 'right'; readonly sumMsat: Msat; readonly hash: Uint8Array }[];
}

export function toEpoch(row: EpochRow): Epoch {
  return {
    epoch: row.epoch,
    createdAt: row.created_at,
    leaves: row.leaves,
    totalMsat: msat(row.total_msat),
    treeHash: row.tree_hash,
    previousRoot: row.previous_root,
    root: row.root,
  };
}
