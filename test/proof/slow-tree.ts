import { createHash } from 'node:crypto';

/** A node of the tree: the sum as a bigint, the hash in hex. */
export interface SlowNode {
  readonly sum: bigint;
  readonly hash: string;
}

export interface SlowLeaf {
  readonly salt: string;
  readonly wallet: string;
  readonly balance: bigint;
  readonly head: string;
}

export interface SlowStep extends SlowNode {
  readonly side: 'left' | 'right';
}

/**
 * Builds the Merkle-sum tree from its definition, recursively from the top, as in RFC 6962, 2.1: the left half has the largest power of two of
 * leaves that is smaller than their number. It uses no levels, and it does not stream.
 */
export function slowTree(leaves: readonly SlowLeaf[]): SlowNode {
  const [only] = leaves;
  if (!only) return { sum: 0n, hash: '0'.repeat(64) };
  if (leaves.length === 1) return { sum: only.balance, hash: sha256('00', only.salt, u64(only.balance), only.head, utf8(only.wallet)) };
  const [left, right] = halves(leaves);
  const [l, r] = [slowTree(left), slowTree(right)];
  return { sum: l.sum + r.sum, hash: sha256('01', u64(l.sum), l.hash, u64(r.sum), r.hash) };
}

/** Returns the path of a leaf, from below. */
export function slowPath(leaves: readonly SlowLeaf[], index: number): SlowStep[] {
  if (leaves.length <= 1) return [];
  const [left, right] = halves(leaves);
  if (index < left.length) return [...slowPath(left, index), { ...slowTree(right), side: 'right' }];
  return [...slowPath(right, index - left.length), { ...slowTree(left), side: 'left' }];
}

export function slowRoot(epoch: number, createdAt: number, leaves: number, tree: SlowNode, previousRoot: string): string {
  return sha256('02', u64(BigInt(epoch)), u64(BigInt(createdAt)), u64(BigInt(leaves)), u64(tree.sum), tree.hash, previousRoot);
}

function halves(leaves: readonly SlowLeaf[]): [SlowLeaf[], SlowLeaf[]] {
  let half = 1;
  while (half * 2 < leaves.length) half *= 2;
  return [leaves.slice(0, half), leaves.slice(half)];
}

function u64(value: bigint): string {
  return value.toString(16).padStart(16, '0');
}

function utf8(text: string): string {
  return Buffer.from(text).toString('hex');
}

function sha256(...hex: string[]): string {
  return createHash('sha256').update(hex.join(''), 'hex').digest('hex');
}
