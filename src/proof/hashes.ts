import { hash } from 'node:crypto';
import { invariant } from '../kernel/assert.ts';
import { type Msat, msat } from '../kernel/money.ts';

/** A node of the tree: what the leaves below it add up to, and a hash that commits to every one of those sums. */
export interface SumNode {
  readonly sumMsat: Msat;
  readonly hash: Uint8Array;
}

/** What is owed to one wallet, as its leaf commits to it. */
export interface Leaf {
  /** 32 bytes that only the wallet's own proof discloses: without them the leaf's hash could be found by guessing. */
  readonly salt: Uint8Array;
  readonly walletId: string;
  /** Posted, what is held included. */
  readonly balanceMsat: Msat;
  /** The hash of the wallet's last ledger entry; {@link NOTHING} when it has none. */
  readonly head: Uint8Array;
}

/** What an epoch's root commits to. Times are Unix seconds. */
export interface EpochFacts {
  readonly epoch: number;
  readonly createdAt: number;
  readonly leaves: number;
  readonly totalMsat: Msat;
  readonly treeHash: Uint8Array;
  /** {@link NOTHING} for the first epoch. */
  readonly previousRoot: Uint8Array;
}

/** 32 zero bytes: the hash of what is not there. */
export const NOTHING: Uint8Array = new Uint8Array(32);

/** Each kind of input begins with a byte of its own, so that none can be passed off as another (as in RFC 6962, 2.1). */
const LEAF = Buffer.of(0);
const INNER = Buffer.of(1);
const EPOCH = Buffer.of(2);

/** SHA-256(0 ‖ salt ‖ balance ‖ head ‖ wallet id). Only the last part has a length of its own, so no two leaves read alike. */
export function leafNode({ salt, walletId, balanceMsat, head }: Leaf): SumNode {
  return { sumMsat: balanceMsat, hash: sha256(LEAF, bytes32(salt), u64(balanceMsat), bytes32(head), Buffer.from(walletId)) };
}

/**
 * SHA-256(1 ‖ left sum ‖ left hash ‖ right sum ‖ right hash). Each child's own sum is in it: a hash over only their total would let
 * one user be shown another split of it than the next one, and the larger part be left out for both.
 * @throws RangeError when the sum is beyond what the ledger handles.
 */
export function innerNode(left: SumNode, right: SumNode): SumNode {
  const parts = [INNER, u64(left.sumMsat), left.hash, u64(right.sumMsat), right.hash];
  return { sumMsat: msat(left.sumMsat + right.sumMsat), hash: sha256(...parts) };
}

/** SHA-256(2 ‖ epoch ‖ created at ‖ leaves ‖ total ‖ tree hash ‖ previous root): the number that is published. */
export function epochRoot({ epoch, createdAt, leaves, totalMsat, treeHash, previousRoot }: EpochFacts): Uint8Array {
  return sha256(EPOCH, u64(epoch), u64(createdAt), u64(leaves), u64(totalMsat), bytes32(treeHash), bytes32(previousRoot));
}

function sha256(...parts: readonly Uint8Array[]): Uint8Array {
  return hash('sha256', Buffer.concat(parts), 'buffer');
}

/** 64 bits, unsigned, big-endian. */
function u64(value: number): Uint8Array {
  invariant(Number.isSafeInteger(value) && value >= 0, 'a number below zero cannot be committed to');
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

function bytes32(bytes: Uint8Array): Uint8Array {
  invariant(bytes.length === 32, 'a hash or a salt has 32 bytes');
  return bytes;
}
