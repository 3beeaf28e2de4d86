import type { Database, Tx } from '../../db/database.ts';
import { invariant } from '../../kernel/assert.ts';
import { newId } from '../../kernel/ids.ts';
import type { AccountState } from '../arithmetic.ts';
import { readAccount, readAccounts, rowToAccount } from '../ledger.sql.ts';
import type { BatchWrites } from '../store.ts';
import {
  addClean,
  applyChanges,
  beginChanges,
  beginWriteBack,
  type CacheChanges,
  type CacheState,
  continueWriteBack,
  readCache,
  writeBackAccount,
} from './cache-state.ts';
import * as sql from './store-sqlite.sql.ts';

/**
 * A write-back cache of SQLite's ledger accounts. A commit writes its transfers only, which are appended to one page; updating two accounts
 * per transfer at once would write two pages at random places.
 *
 * The rows of `ledger_transfer` are the truth. The state of an account after its transfers stays in memory until its row is written back.
 * When more than `writeBackAfter` transfers are not yet written back, a write-back begins: it updates the rows of all dirty accounts in the
 * order of their ids, a few with each batch, and then advances `ledger_checkpoint.position`. After a kill, the transfers after that are read
 * again. The row of an account with a hold is written with the commit: transfers do not contain what is held, and a CHECK on the row guards it.
 *
 * Accounts that were read recently are kept as well, because no other process writes to the file. Each transaction verifies that: the id of
 * the last batch in the file must be the one in memory.
 *
 * The cache changes only after a commit, by one transaction after the other. When a COMMIT fails, the cache is dropped and read again.
 */
export class BalanceCache {
  readonly #database: Database;
  readonly #shared: Shared;
  readonly #options: CacheOptions;

  constructor(database: Database, options: CacheOptions = DEFAULT_OPTIONS) {
    this.#database = database;
    this.#options = options;
    this.#shared = caches.get(database.identity) ?? { turn: Promise.resolve(), state: undefined, changes: undefined };
    caches.set(database.identity, this.#shared);
  }

  /** Runs a database transaction; the cache takes over its changes after the commit. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const turn = this.#shared.turn.then(() => this.#transact(work));
    this.#shared.turn = turn.catch(() => undefined);
    return turn;
  }

  async #transact<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    let committing = false;
    try {
      const result = await this.#database.transaction(async (tx) => {
        const state = await upToDate(tx, this.#shared.state);
        this.#shared.state = state;
        this.#shared.changes = beginChanges(state);
        const worked = await work(tx);
        committing = true;
        return worked;
      });
      if (this.#shared.state && this.#shared.changes) applyChanges(this.#shared.state, this.#shared.changes);
      return result;
    } catch (error) {
      if (committing) this.#shared.state = undefined;
      throw error;
    } finally {
      this.#shared.changes = undefined;
    }
  }

  /** Returns copies of the accounts of a batch. */
  async lockAccounts(tx: Tx, ids: readonly number[]): Promise<AccountState[]> {
    const { state, changes } = this.#open();
    const missing: number[] = [];
    for (const id of ids) {
      const account = find(state, id);
      if (account) changes.before.set(id, account);
      else missing.push(id);
    }
    const rows = missing.length > 0 ? await tx.all(readAccounts, missing) : [];
    for (const row of rows) changes.before.set(row.id, rowToAccount(row));
    return Array.from(changes.before.values(), (account) => ({ ...account }));
  }

  /** Returns the position of the last transfer before the batch. */
  lastPosition(): number {
    return this.#open().state.lastPosition;
  }

  /** Writes what must be durable with a batch besides its transfers, and continues the write-back. */
  async save(tx: Tx, { batchId, transfers, accounts }: BatchWrites): Promise<void> {
    const { state, changes } = this.#open();
    changes.lastPosition += transfers.length;
    for (const account of accounts) {
      const before = stateBefore(changes, account.id);
      if (before.entries === account.entries && before.heldMsat === account.heldMsat) continue;
      changes.changed.set(account.id, { ...account });
      toggleHead(changes.heads, before.head);
      toggleHead(changes.heads, account.head);
      if (account.heldMsat > 0 || before.heldMsat > 0) await writeBackAccount(tx, state, changes, account.id);
    }
    const { writeBackAfter, rowsPerBatch, rowsPerTransfer } = this.#options;
    if (!changes.writeBack && changes.lastPosition - changes.writtenPosition > writeBackAfter) beginWriteBack(state, changes);
    await continueWriteBack(tx, state, changes, rowsPerBatch + rowsPerTransfer * transfers.length);
    await saveProgress(tx, changes, batchId);
  }

  /** Writes back all accounts, so that every row is up to date. */
  async flush(): Promise<void> {
    await this.transaction(async (tx) => {
      const { state, changes } = this.#open();
      if (state.lastPosition === state.writtenPosition) return;
      beginWriteBack(state, changes);
      await continueWriteBack(tx, state, changes, Number.POSITIVE_INFINITY);
      // A new id: the cache of another process must not match it.
      await saveProgress(tx, changes, newId());
    });
  }

  /** An account as it is committed; undefined for one that does not exist. */
  async committed(id: number): Promise<AccountState | undefined> {
    while (!this.#shared.state) await this.transaction(async () => undefined);
    const { state } = this.#shared;
    const account = find(state, id);
    if (account) return account;
    // The read begins in the same turn of the event loop, so no commit happens in between.
    const { commits } = state;
    const row = await this.#database.first(readAccount, id);
    // A commit during the read may have changed the account.
    if (row && state.commits === commits) addClean(state, rowToAccount(row), this.#options.maxClean);
    return row && rowToAccount(row);
  }

  #open(): { state: CacheState; changes: CacheChanges } {
    invariant(this.#shared.state && this.#shared.changes, 'the balance cache is changed inside its transactions only');
    return { state: this.#shared.state, changes: this.#shared.changes };
  }
}

/**
 * Returns the cache, or reads it again when another process has written to the file. The lock on the file prevents that; should the lock
 * ever fail, this prevents that a stale balance is spent twice. Costs one indexed read per batch.
 */
async function upToDate(tx: Tx, state: CacheState | undefined): Promise<CacheState> {
  if (state && (await tx.first(sql.readLastBatch))?.batch_id === state.batchId) return state;
  return await readCache(tx);
}

async function saveProgress(tx: Tx, changes: CacheChanges, batchId: string): Promise<void> {
  changes.batchId = batchId;
  await tx.run(sql.writeCheckpoint, changes.writtenPosition, changes.heads, batchId);
}

function find({ dirty, clean }: CacheState, id: number): AccountState | undefined {
  return dirty.get(id) ?? clean.get(id);
}

function stateBefore({ before }: CacheChanges, id: number): AccountState {
  const account = before.get(id);
  invariant(account, 'a batch has locked the accounts that it changes');
  return account;
}

/** The cache of one database, shared by all ledgers of this process that write to it. */
interface Shared {
  turn: Promise<unknown>;
  state: CacheState | undefined;
  changes: CacheChanges | undefined;
}

const caches = new WeakMap<object, Shared>();

export interface CacheOptions {
  /** After how many transfers a write-back begins. */
  readonly writeBackAfter: number;
  /** How many rows a write-back writes with each batch, and in addition with each transfer of the batch. */
  readonly rowsPerBatch: number;
  readonly rowsPerTransfer: number;
  /** How many accounts are kept whose rows are up to date. */
  readonly maxClean: number;
}

/**
 * Reading 20,000 transfers again takes a fraction of a second. A transfer makes at most two accounts dirty, so three rows per transfer keep
 * ahead; the steps are small, so that no batch waits long for one. The clean accounts take a few megabytes.
 */
const DEFAULT_OPTIONS: CacheOptions = { writeBackAfter: 20_000, rowsPerBatch: 64, rowsPerTransfer: 3, maxClean: 20_000 };

/** Adds a hash to an XOR of hashes, or removes it. */
export function toggleHead(heads: Uint8Array, hash: Uint8Array): void {
  for (let i = 0; i < hash.length; i++) heads[i] = (heads[i] ?? 0) ^ (hash[i] ?? 0);
}
