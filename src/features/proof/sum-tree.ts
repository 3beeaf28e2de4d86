import { innerNode, NOTHING, type SumNode } from './hashes.ts';

/** The tree over no leaves. */
const EMPTY: SumNode = { sum_msat: 0, hash: NOTHING };

/**
 * Builds a Merkle-sum tree from a sequence of leaves. Memory grows with the height of the tree only.
 *
 * Nodes are joined in pairs, level by level. The last node of a level with an odd number of nodes moves up unchanged. No node is duplicated
 * or added, so the number of leaves determines the shape of the tree, and that number is part of the root.
 */
export class SumTree {
  readonly #onNode: (level: number, position: number, node: SumNode) => void;
  /** The number of nodes of each level so far (level 0: leaves), and the node that waits for its right sibling. */
  readonly #levels: { count: number; waiting: SumNode | undefined }[] = [];

  /** @param onNode is called with each node, its level and its position from the left. */
  constructor(onNode: (level: number, position: number, node: SumNode) => void = () => {}) {
    this.#onNode = onNode;
  }

  get leaves(): number {
    return this.#levels[0]?.count ?? 0;
  }

  add(leaf: SumNode): void {
    this.#put(0, leaf);
  }

  /** Returns the node at the top. No leaf may be added afterwards. */
  finish(): SumNode {
    let top = EMPTY;
    // Moving the last node up may add a level.
    for (let level = 0; level < this.#levels.length; level++) {
      const waiting = this.#levels[level]?.waiting;
      if (!waiting) continue;
      if (level === this.#levels.length - 1) top = waiting;
      else this.#put(level + 1, waiting);
    }
    return top;
  }

  #put(at: number, node: SumNode): void {
    const level = this.#levels[at] ?? { count: 0, waiting: undefined };
    this.#levels[at] = level;
    this.#onNode(at, level.count++, node);
    const left = level.waiting;
    level.waiting = left ? undefined : node;
    if (left) this.#put(at + 1, innerNode(left, node));
  }
}

/** Returns the siblings on the path from a leaf to the top, from below. */
export function siblingsOf(index: number, leaves: number) {
  const siblings: { level: number; position: number; side: 'left' | 'right' }[] = [];
  for (let level = 0, position = index, width = leaves; width > 1; level++) {
    const isLeft = position % 2 === 0;
    const sibling = isLeft ? position + 1 : position - 1;
    if (sibling < width) siblings.push({ level, position: sibling, side: isLeft ? 'right' : 'left' });
    position = Math.floor(position / 2);
    width = Math.ceil(width / 2);
  }
  return siblings;
}
