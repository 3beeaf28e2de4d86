import { hash } from 'node:crypto';
import { invariant } from '../../core/kernel/assert.ts';
import { hmacSha256 } from '../../core/kernel/crypto.ts';
import { msat } from '../../core/kernel/money.ts';
import type { EpochRow, Leaf } from './proof.sql.ts';

/** A node of the tree: the sum of the leaves below it, and a hash that commits to each of them. */
export interface SumNode {
  readonly sum_msat: number;
  readonly hash: Uint8Array;
}

/** 32 zero bytes, in place of a hash that does not exist. */
export const NOTHING: Uint8Array = new Uint8Array(32);

/** Each kind of input begins with another byte, so that none can be presented as another (as in RFC 6962, 2.1). */
const LEAF = Buffer.of(0);
const INNER = Buffer.of(1);
const EPOCH = Buffer.of(2);

/** How many consecutive ledger accounts are shuffled together. */
const WINDOW = 16_384;

const WINDOW_BYTES = 6;
const KEYED_BYTES = 16;

/**
 * SHA-256(0 ‖ salt ‖ balance ‖ head ‖ wallet id). Only the last part has a variable length, so the input is unambiguous. The salt is 32 bytes
 * that only the wallet's proof discloses. Without them a balance could be guessed and checked against the hash.
 */
export function leafNode(salt: Uint8Array, { wallet_id, balance_msat, head }: Leaf): SumNode {
  return { sum_msat: msat(balance_msat), hash: sha256(LEAF, bytes32(salt), u64(balance_msat), bytes32(head), Buffer.from(wallet_id)) };
}

/**
 * SHA-256(1 ‖ left sum ‖ left hash ‖ right sum ‖ right hash). It includes the sum of each child. With only their total, two users could be
 * shown different splits of it, each without the other's larger part.
 * @throws RangeError when the sum is not a safe integer.
 */
export function innerNode(left: SumNode, right: SumNode): SumNode {
  const parts = [INNER, u64(left.sum_msat), left.hash, u64(right.sum_msat), right.hash];
  return { sum_msat: msat(left.sum_msat + right.sum_msat), hash: sha256(...parts) };
}

/** SHA-256(2 ‖ epoch ‖ created at ‖ leaves ‖ total ‖ tree hash ‖ previous root): the number that is published. */
export function epochRoot(row: Omit<EpochRow, 'root' | 'tree'>): Uint8Array {
  const { epoch, created_at, leaves, total_msat, tree_hash, previous_root } = row;
  return sha256(EPOCH, u64(epoch), u64(created_at), u64(leaves), u64(total_msat), bytes32(tree_hash), bytes32(previous_root));
}

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
  return hmacSha256(seed, `${purpose} ${walletId}`);
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
