import { hash } from 'node:crypto';
import { invariant } from '../../core/kernel/assert.ts';
import { type Msat, msat } from '../../core/kernel/money.ts';

/** A node of the tree: the sum of the leaves below it, and a hash that commits to each of them. */
export interface SumNode {
  readonly sumMsat: Msat;
  readonly hash: Uint8Array;
}

/** The content of a wallet's leaf. */
export interface Leaf {
  /** 32 bytes that only the wallet's proof discloses. Without them a balance could be guessed and checked against the hash. */
  readonly salt: Uint8Array;
  readonly walletId: string;
  /** The posted balance, including held money. */
  readonly balanceMsat: Msat;
  /** The hash of the wallet's last ledger entry; {@link NOTHING} before the first. */
  readonly head: Uint8Array;
}

/** The content of an epoch's root. Times are Unix seconds. */
export interface EpochFacts {
  readonly epoch: number;
  readonly createdAt: number;
  readonly leaves: number;
  readonly totalMsat: Msat;
  readonly treeHash: Uint8Array;
  /** {@link NOTHING} for the first epoch. */
  readonly previousRoot: Uint8Array;
}

/** 32 zero bytes, in place of a hash that does not exist. */
export const NOTHING: Uint8Array = new Uint8Array(32);

/** Each kind of input begins with another byte, so that none can be presented as another (as in RFC 6962, 2.1). */
const LEAF = Buffer.of(0);
const INNER = Buffer.of(1);
const EPOCH = Buffer.of(2);

/** SHA-256(0 ‖ salt ‖ balance ‖ head ‖ wallet id). Only the last part has a variable length, so the input is unambiguous. */
export function leafNode({ salt, walletId, balanceMsat, head }: Leaf): SumNode {
  return { sumMsat: balanceMsat, hash: sha256(LEAF, bytes32(salt), u64(balanceMsat), bytes32(head), Buffer.from(walletId)) };
}

/**
 * SHA-256(1 ‖ left sum ‖ left hash ‖ right sum ‖ right hash). It includes the sum of each child. With only their total, two users could be
 * shown different splits of it, each without the other's larger part.
 * @throws RangeError when the sum is not a safe integer.
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
