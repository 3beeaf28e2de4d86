import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../../core/db/database.ts';
import { leafNode, leafSortKey, type SumNode, saltOf, windowOf } from './hashes.ts';
import * as sql from './proof.sql.ts';
import { hex } from './proof-object.ts';
import { SumTree } from './sum-tree.ts';

/**
 * The lowest level that is stored. Each of its nodes has 64 leaves below it, which a proof hashes again in about 2 ms. Storing all nodes
 * would double the rows of an epoch.
 */
export const BLOCK_LEVEL = 6;
export const BLOCK = 2 ** BLOCK_LEVEL;

/** How many wallets are read, and leaves written, at a time. On SQLite this blocks the process for some milliseconds. */
export const PAGE = 250;

/** The leaf of a wallet with this ledger account. */
type WalletLeaf = sql.Leaf & { readonly account: number };
type SortedLeaf = WalletLeaf & { readonly sortKey: Uint8Array };

/** Writes a tree to the database while it is built. Keeps one window of wallets in memory. */
export class TreeWriter {
  readonly #database: Database;
  readonly #tree: { readonly id: number; readonly seed: Uint8Array };
  readonly #signal: AbortSignal;
  readonly #sums = new SumTree((level, position, node) => this.#keepNode(level, position, node));
  #window: SortedLeaf[] = [];
  #leafRows: string[] = [];
  #nodeRows: string[] = [];
  #blockBegins: string | null = null;

  constructor(database: Database, tree: { id: number; seed: Uint8Array }, signal: AbortSignal) {
    this.#database = database;
    this.#tree = tree;
    this.#signal = signal;
  }

  /** The number of leaves so far. */
  get leaves(): number {
    return this.#sums.leaves;
  }

  /** Adds wallets, in the order of their ledger accounts. @returns whether a window was written. */
  async add(leaves: readonly WalletLeaf[]): Promise<boolean> {
    let wrote = false;
    for (const leaf of leaves) {
      const [first] = this.#window;
      if (first && windowOf(first.account) !== windowOf(leaf.account)) {
        await this.#writeWindow();
        wrote = true;
      }
      this.#window.push({ ...leaf, sortKey: leafSortKey(this.#tree.seed, leaf.wallet_id, leaf.account) });
    }
    // On SQLite no read waits for I/O, so other work would never run.
    await nextTurn();
    return wrote;
  }

  async finish(): Promise<SumNode> {
    await this.#writeWindow();
    const top = this.#sums.finish();
    await this.#writeRows();
    return top;
  }

  async #writeWindow(): Promise<void> {
    const window = this.#window.sort((a, b) => Buffer.compare(a.sortKey, b.sortKey));
    this.#window = [];
    for (const leaf of window) {
      this.#addLeaf(leaf);
      if (this.#leafRows.length >= PAGE) await this.#writeRows();
    }
    await this.#writeRows();
  }

  #addLeaf(leaf: SortedLeaf): void {
    const { sortKey, wallet_id, balance_msat, head } = leaf;
    if (this.#sums.leaves % BLOCK === 0) this.#blockBegins = hex(sortKey);
    this.#leafRows.push(JSON.stringify([hex(sortKey), wallet_id, balance_msat, hex(head)]));
    this.#sums.add(leafNode(saltOf(this.#tree.seed, wallet_id), leaf));
  }

  #keepNode(level: number, position: number, { sum_msat, hash }: SumNode): void {
    if (level < BLOCK_LEVEL) return;
    this.#nodeRows.push(JSON.stringify([level, position, sum_msat, hex(hash), level === BLOCK_LEVEL ? this.#blockBegins : null]));
  }

  async #writeRows(): Promise<void> {
    this.#signal.throwIfAborted();
    const [leaves, nodes] = [this.#leafRows, this.#nodeRows];
    if (leaves.length + nodes.length === 0) return;
    this.#leafRows = [];
    this.#nodeRows = [];
    await this.#database.transaction(async (tx) => {
      if ((await tx.run(sql.setTreeState, this.#tree.id, 'building')) !== 1) throw new Error('another instance has given this tree up');
      if (leaves.length > 0) await tx.run(sql.insertLeaves, this.#tree.id, leaves);
      if (nodes.length > 0) await tx.run(sql.insertNodes, this.#tree.id, nodes);
    });
    await nextTurn();
  }
}
