import { ZERO_MSAT } from '../kernel/money.ts';
import { innerNode, NOTHING, type SumNode } from './hashes.ts';

/** The tree over no leaves. */
const EMPTY: SumNode = { sumMsat: ZERO_MSAT, hash: NOTHING };

/**
 * Builds a Merkle-sum tree from its leaves, one after the other, in memory that grows with its height only.
 *
 * Nodes are joined in pairs, level by level; where a level has an odd number of them, its last one goes up as it is. Nothing is
 * duplicated or made up to fill a pair, so the number of leaves alone says what the tree looks like, and that number is in the root.
 */
export class SumTree {
  readonly #onNode: (level: number, position: number, node: SumNode) => void;
  /** How many nodes each level has had, leaves being level 0, and the one of them that waits for its right neighbour. */
  readonly #levels: { count: number; waiting: SumNode | undefined }[] = [];

  /** @param onNode is told every node as it is made, by level and position from the left. */
  constructor(onNode: (level: number, position: number, node: SumNode) => void = () => {}) {
    this.#onNode = onNode;
  }

  get leaves(): number {
    return this.#levels[0]?.count ?? 0;
  }

  add(leaf: SumNode): void {
    this.#place(0, leaf);
  }

  /** The node at the top. Nothing may be added after that. */
  finish(): SumNode {
    let top = EMPTY;
    // Sending the last one up may make a level that was not there before.
    for (let level = 0; level < this.#levels.length; level++) {
      const waiting = this.#levels[level]?.waiting;
      if (!waiting) continue;
      if (level === this.#levels.length - 1) top = waiting;
      else this.#place(level + 1, waiting);
    }
    return top;
  }

  #place(at: number, node: SumNode): void {
    const level = this.#levels[at] ?? { count: 0, waiting: undefined };
    this.#levels[at] = level;
    this.#onNode(at, level.count++, node);
    const left = level.waiting;
    level.waiting = left ? undefined : node;
    if (left) this.#place(at + 1, innerNode(left, node));
  }
}

/** Where a node that belongs to a path stands. */
export interface SiblingPlace {
  readonly level: number;
  readonly position: number;
  readonly side: 'left' | 'right';
}

/** The places of the nodes that lead from a leaf to the top, from below: what the number of leaves demands, no more and no fewer. */
export function siblingsOf(index: number, leaves: number): SiblingPlace[] {
  const places: SiblingPlace[] = [];
  for (let level = 0, position = index, width = leaves; width > 1; level++) {
    const isLeft = position % 2 === 0;
    const sibling = isLeft ? position + 1 : position - 1;
    if (sibling < width) places.push({ level, position: sibling, side: isLeft ? 'right' : 'left' });
    position = Math.floor(position / 2);
    width = Math.ceil(width / 2);
  }
  return places;
}
