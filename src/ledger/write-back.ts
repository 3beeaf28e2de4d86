import type { Tx } from '../db/database.ts';
import type { AccountState } from './account-state.ts';
import * as sql from './ledger.sql.ts';

/** What SQLite's writer knows to be committed (tail.ts). */
export interface Known {
  /** The accounts whose rows lag. */
  readonly states: Map<number, AccountState>;
  /** Accounts that were read lately and whose rows do not lag. */
  readonly recent: Map<number, AccountState>;
  /** How many transactions have been committed since this is known. */
  commits: number;
  /** The position of the last transfer. */
  last: number;
  /** Rows lag only behind transfers after this position. */
  written: number;
  /** The hashes of all accounts' last entries, XORed: shows that the end of the tail is missing, which no row tells. */
  heads: Uint8Array;
  /** The id of the last committed batch. When the file has another, another process has written to it, and all of this is out of date. */
  batch: string;
  sweep: Sweep | undefined;
}

/** Rows that are being written back, in the order of their ids. */
interface Sweep {
  /** Where the tail ended when it began. */
  readonly upTo: number;
  readonly ids: Float64Array;
  readonly done: number;
}

/** What a transaction is about to make of it. */
export interface Draft extends Pick<Known, 'last' | 'written' | 'heads' | 'batch' | 'sweep'> {
  readonly before: Map<number, AccountState>;
  readonly changed: Map<number, AccountState>;
  readonly writtenBack: Set<number>;
}

export function draftOf({ last, written, heads, batch, sweep }: Known): Draft {
  return { last, written, heads: heads.slice(), batch, sweep, before: new Map(), changed: new Map(), writtenBack: new Set() };
}

/** Once it is committed. */
export function keep(known: Known, { last, written, heads, batch, sweep, changed, writtenBack }: Draft): void {
  for (const state of changed.values()) {
    known.states.set(state.id, state);
    known.recent.delete(state.id);
  }
  for (const id of writtenBack) known.states.delete(id);
  Object.assign(known, { last, written, heads, batch, sweep, commits: known.commits + 1 });
}

/** Keeps what the row of an account says; who came first makes room. */
export function remember({ recent }: Known, state: AccountState, maxRecent: number): void {
  if (recent.size >= maxRecent) recent.delete(recent.keys().next().value as number);
  recent.set(state.id, state);
}

/** Writes the row of an account, if it lags. */
export async function writeBack(tx: Tx, known: Known, draft: Draft, id: number): Promise<void> {
  const state = draft.changed.get(id) ?? known.states.get(id);
  if (!state || draft.writtenBack.has(id)) return;
  await tx.run(sql.saveAccount, id, state.balanceMsat, state.heldMsat, state.entries, state.head, state.lastPosition);
  draft.writtenBack.add(id);
}

/** Begins a sweep: all rows that lag now. */
export function beginSweep(known: Known, draft: Draft): void {
  const ids = new Set([...known.states.keys(), ...draft.changed.keys()]);
  draft.sweep = { upTo: draft.last, ids: Float64Array.from(ids).sort(), done: 0 };
}

/** Goes on with a sweep by so many rows. */
export async function sweep(tx: Tx, known: Known, draft: Draft, rows: number): Promise<void> {
  if (!draft.sweep) return;
  const { upTo, ids, done } = draft.sweep;
  const end = Math.min(ids.length, done + rows);
  for (const id of ids.subarray(done, end)) await writeBack(tx, known, draft, id);
  draft.sweep = end < ids.length ? { upTo, ids, done: end } : undefined;
  if (end === ids.length) draft.written = upTo;
}
