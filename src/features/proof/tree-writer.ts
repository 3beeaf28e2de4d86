import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../../core/db/database.ts';
import { leafNode, type SumNode } from './hashes.ts';
import * as sql from './proof.sql.ts';
import { leafSortKey, saltOf, windowOf } from './seed.ts';
import { SumTree } from './sum-tree.ts';
import { PAGE, type WalletState } from './wallet-states.ts';

/**
 * The lowest level that is stored. Each of its nodes has 64 leaves below it, which a proof hashes again in about 2 ms. Storing all nodes
 * would double the rows of an epoch.
 */
export const BLOCK_LEVEL = 6;
export const BLOCK = 2 ** BLOCK_LEVEL;

interface SortedState extends WalletState {
  readonly sortKey: Uint8Array;
}

/** Writes a tree to the database while it is built. Keeps one window of wallets in memory. */
export class TreeWriter {
  readonly #database: Database;
  readonly #tree: { readonly id: number; readonly seed: Uint8Array };
  readonly #signal: AbortSignal;
  readonly #sums = new SumTree((level, position, node) => this.#keepNode(level, position, node));
  #window: SortedState[] = [];
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
  async add(states: readonly WalletState[]): Promise<boolean> {
    let wrote = false;
    for (const state of states) {
      const [first] = this.#window;
      if (first && windowOf(first.account) !== windowOf(state.account)) {
        await this.#writeWindow();
        wrote = true;
      }
      this.#window.push({ ...state, sortKey: leafSortKey(this.#tree.seed, state.walletId, state.account) });
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
    for (const state of window) {
      this.#addLeaf(state);
      if (this.#leafRows.length >= PAGE) await this.#writeRows();
    }
    await this.#writeRows();
  }

  #addLeaf({ sortKey, walletId, balanceMsat, head }: SortedState): void {
    if (this.#sums.leaves % BLOCK === 0) this.#blockBegins = hex(sortKey);
    this.#leafRows.push(JSON.stringify([hex(sortKey), walletId, balanceMsat, hex(head)]));
    this.#sums.add(leafNode({ salt: saltOf(this.#tree.seed, walletId), walletId, balanceMsat, head }));
  }

  #keepNode(level: number, position: number, { sumMsat, hash }: SumNode): void {
    if (level < BLOCK_LEVEL) return;
    this.#nodeRows.push(JSON.stringify([level, position, sumMsat, hex(hash), level === BLOCK_LEVEL ? this.#blockBegins : null]));
  }

  async #writeRows(): Promise<void> {
    this.#signal.throwIfAborted();
    const [leaves, nodes] = [this.#leafRows, this.#nodeRows];
    if (leaves.length + nodes.length === 0) return;
    this.#leafRows = [];
    this.#nodeRows = [];
    await this.#database.transaction(async (tx) => {
      if ((await tx.run(sql.holdTree, this.#tree.id)) !== 1) throw new Error('another instance has given this tree up');
      if (leaves.length > 0) await tx.run(sql.insertLeaves, this.#tree.id, leaves);
      if (nodes.length > 0) await tx.run(sql.insertNodes, this.#tree.id, nodes);
    });
    await nextTurn();
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
