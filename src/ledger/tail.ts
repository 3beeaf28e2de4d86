import type { Database, Tx } from '../db/database.ts';
import { invariant } from '../kernel/assert.ts';
import { newId } from '../kernel/ids.ts';
import { type AccountState, accountState } from './account-state.ts';
import type { Worksheet } from './arithmetic.ts';
import * as sql from './ledger.sql.ts';
import { readKnown } from './read-tail.ts';
import * as tailSql from './tail.sql.ts';
import { beginSweep, type Draft, draftOf, type Known, keep, remember, sweep, writeBack } from './write-back.ts';

/**
 * SQLite's writer knows more than the rows of `ledger_account` say, so that a transfer costs the page it is appended to and not two
 * random ones more.
 *
 * The truth is the row of a transfer, durable with its commit. What an account is after it stays in memory and is written back later:
 * once the tail (the transfers since `written`) is long, a sweep writes all rows that lag, in the order of their ids, a few with each
 * batch. When it is through, `written` moves up to where the tail ended when the sweep began. What dies with the process is
 * read again from the tail. An account on which something is held is always written at once: holds are not in the tail, and the
 * CHECK on its row guards what is held.
 *
 * Accounts that were read recently stay known as well: no other process writes this file, so their rows need not be read again. Each
 * transaction begins by checking that: the id of the last batch in the file must be the one in memory.
 *
 * Memory changes only after a commit, one transaction after the other. When a COMMIT fails, memory is dropped and read again from
 * the database, whatever the failure means.
 */
export class Tail {
  readonly #database: Database;
  readonly #memory: Memory;
  readonly #pace: Pace;

  constructor(database: Database, pace: Pace = PACE) {
    this.#database = database;
    this.#pace = pace;
    this.#memory = memories.get(database.identity) ?? { turn: Promise.resolve(), known: undefined, draft: undefined };
    memories.set(database.identity, this.#memory);
  }

  /** A database transaction of batches: what they have written is known once it is committed. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const turn = this.#memory.turn.then(() => this.#transact(work));
    this.#memory.turn = turn.catch(() => undefined);
    return turn;
  }

  async #transact<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    let committing = false;
    try {
      const result = await this.#database.transaction(async (tx) => {
        const known = await upToDate(tx, this.#memory.known);
        this.#memory.known = known;
        this.#memory.draft = draftOf(known);
        const worked = await work(tx);
        committing = true;
        return worked;
      });
      if (this.#memory.known && this.#memory.draft) keep(this.#memory.known, this.#memory.draft);
      return result;
    } catch (error) {
      if (committing) this.#memory.known = undefined;
      throw error;
    } finally {
      this.#memory.draft = undefined;
    }
  }

  /** The accounts of a batch, to be changed by it. */
  async open(tx: Tx, ids: readonly number[]): Promise<AccountState[]> {
    const { known, draft } = this.#open();
    const missing: number[] = [];
    for (const id of ids) {
      const state = lookUp(known, id);
      if (state) draft.before.set(id, state);
      else missing.push(id);
    }
    const rows = missing.length > 0 ? await tx.all(sql.lockAccounts, missing) : [];
    for (const row of rows) draft.before.set(row.id, accountState(row));
    return [...draft.before.values()].map((state) => ({ ...state }));
  }

  /** The places of a batch's new transfers: position, and the positions of the entries before theirs on either side. */
  place(sheet: Worksheet): [position: number, fromPrevious: number, toPrevious: number][] {
    const { draft } = this.#open();
    return sheet.newTransfers.map((transfer) => {
      const [from, to] = [sheet.accounts.get(transfer.from), sheet.accounts.get(transfer.to)];
      invariant(from && to, 'a transfer has both its accounts in the batch');
      draft.last += 1;
      const place = [draft.last, from.lastPosition, to.lastPosition] as [number, number, number];
      from.lastPosition = draft.last;
      to.lastPosition = draft.last;
      return place;
    });
  }

  /** Writes what has to be durable with a batch beside its transfers, and a step of what was left for later. */
  async save(tx: Tx, batchId: string, sheet: Worksheet): Promise<void> {
    const { known, draft } = this.#open();
    const first = draft.last - sheet.newTransfers.length + 1;
    for (const [index, t] of sheet.newTransfers.entries()) {
      if (t.fromEntry % MILESTONE_EVERY === 0) await tx.run(tailSql.insertMilestone, t.from, t.fromEntry, first + index);
      if (t.toEntry % MILESTONE_EVERY === 0) await tx.run(tailSql.insertMilestone, t.to, t.toEntry, first + index);
    }
    for (const state of sheet.accounts.values()) {
      const before = draft.before.get(state.id);
      invariant(before, 'what changes was there before');
      if (before.entries === state.entries && before.heldMsat === state.heldMsat) continue;
      draft.changed.set(state.id, state);
      toggle(draft.heads, before.head);
      toggle(draft.heads, state.head);
      if (state.heldMsat > 0 || before.heldMsat > 0) await writeBack(tx, known, draft, state.id);
    }
    const { sweepAfter, rows, rowsPerTransfer } = this.#pace;
    if (!draft.sweep && draft.last - draft.written > sweepAfter) beginSweep(known, draft);
    await sweep(tx, known, draft, rows + rowsPerTransfer * sheet.newTransfers.length);
    await saveTail(tx, draft, batchId);
  }

  /** Writes back everything: after that, the rows say all there is to know. */
  async writeBack(): Promise<void> {
    await this.transaction(async (tx) => {
      const { known, draft } = this.#open();
      if (known.last === known.written) return;
      beginSweep(known, draft);
      await sweep(tx, known, draft, Number.POSITIVE_INFINITY);
      // A new id: the memory of another process must not match it.
      await saveTail(tx, draft, newId());
    });
  }

  /** An account as it is committed; undefined for one that does not exist. */
  async committed(id: number): Promise<AccountState | undefined> {
    while (!this.#memory.known) await this.transaction(async () => undefined);
    const { known } = this.#memory;
    const state = lookUp(known, id);
    if (state) return state;
    // In the same turn: no commit can have come between.
    const { commits } = known;
    const row = await this.#database.first(sql.readAccount, id);
    // One that came since may have changed it.
    if (row && known.commits === commits) remember(known, accountState(row), this.#pace.recent);
    return row && accountState(row);
  }

  #open(): { known: Known; draft: Draft } {
    invariant(this.#memory.known && this.#memory.draft, 'the tail is only used inside its transactions');
    return { known: this.#memory.known, draft: this.#memory.draft };
  }
}

/**
 * Returns the memory, or reads it again when another process has written to the file since. The lock prevents that; should it ever fail,
 * this keeps a stale balance from being spent twice. One indexed read per batch.
 */
async function upToDate(tx: Tx, known: Known | undefined): Promise<Known> {
  if (known && (await tx.first(tailSql.readMark))?.batch === known.batch) return known;
  return await readKnown(tx);
}

async function saveTail(tx: Tx, draft: Draft, batchId: string): Promise<void> {
  draft.batch = batchId;
  await tx.run(tailSql.saveTail, draft.written, draft.heads, batchId);
}

function lookUp({ states, recent }: Known, id: number): AccountState | undefined {
  return states.get(id) ?? recent.get(id);
}

/** Shared by all that post to a database, whatever they call it. */
interface Memory {
  turn: Promise<unknown>;
  known: Known | undefined;
  draft: Draft | undefined;
}

const memories = new WeakMap<object, Memory>();

/** How long the tail may become before it is swept, how many rows a sweep writes with each batch, and how many accounts stay known. */
export interface Pace {
  readonly sweepAfter: number;
  readonly rows: number;
  readonly rowsPerTransfer: number;
  readonly recent: number;
}

/**
 * Reading so long a tail again takes a fraction of a second. A transfer makes two rows lag at most, so three are ahead of it; small
 * steps, so that nobody waits long for one. What stays known is a few megabytes.
 */
const PACE: Pace = { sweepAfter: 20_000, rows: 64, rowsPerTransfer: 3, recent: 20_000 };

/** Every so many entries of an account, one has a row of its own to be found by. */
export const MILESTONE_EVERY = 64;

/** Takes a hash into the XOR of hashes, or out of it. */
export function toggle(heads: Uint8Array, hash: Uint8Array): void {
  for (let i = 0; i < hash.length; i++) heads[i] = (heads[i] ?? 0) ^ (hash[i] ?? 0);
}
