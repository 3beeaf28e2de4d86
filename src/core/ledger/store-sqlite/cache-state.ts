import type { Tx } from '../../db/database.ts';
import { invariant } from '../../kernel/assert.ts';
import { msat } from '../../kernel/money.ts';
import { PER_TURN, pauseTransaction } from '../../kernel/turns.ts';
import type { AccountState } from '../arithmetic.ts';
import { readAccounts } from '../ledger.sql.ts';
import * as sql from './store-sqlite.sql.ts';

/** The content of the balance cache: what is committed. */
export interface CacheState {
  /** Accounts whose rows are out of date. */
  readonly dirty: Map<number, AccountState>;
  /** Accounts that were read recently and whose rows are up to date. */
  readonly clean: Map<number, AccountState>;
  /** How many transactions have been committed since the cache was read. */
  commits: number;
  /** The position of the last transfer. */
  lastPosition: number;
  /** Rows are out of date only because of transfers after this position. */
  writtenPosition: number;
  /** The XOR of the hashes of all accounts' last entries. Shows when the last transfers are missing. */
  heads: Uint8Array;
  /** The id of the last committed batch. If the file has another one, another process has written to it, and the cache is out of date. */
  batchId: string;
  writeBack: WriteBack | undefined;
}

/** The accounts that were dirty when a write-back began, in the order of their ids. */
interface WriteBack {
  /** The position of the last transfer at that moment. */
  readonly upToPosition: number;
  readonly ids: Float64Array;
  readonly done: number;
}

/** What the open transaction changes in the cache. */
export interface CacheChanges extends Pick<CacheState, 'lastPosition' | 'writtenPosition' | 'heads' | 'batchId' | 'writeBack'> {
  /** The accounts of the batch before it. */
  readonly before: Map<number, AccountState>;
  readonly changed: Map<number, AccountState>;
  readonly writtenBack: Set<number>;
}

const PAGE = 2000;

/** Reads the cache from the database: the transfers after the checkpoint show which rows are out of date, and what they should contain. */
export async function readCache(tx: Tx): Promise<CacheState> {
  const checkpoint = await tx.first(sql.readCheckpoint);
  invariant(checkpoint, 'the ledger has a checkpoint');
  const { position, heads, batch_id: batchId } = checkpoint;
  const dirty = new Map<number, AccountState>();
  let lastPosition = position;
  for (let page: sql.TransferEnds[] = []; ; ) {
    page = await tx.all(sql.transfersAfter, lastPosition, PAGE);
    for (const row of page) {
      lastPosition = row.position;
      dirty.set(row.from_account, accountAfter(row.from_account, row.from_entry, row.from_balance_msat, row.from_hash));
      dirty.set(row.to_account, accountAfter(row.to_account, row.to_entry, row.to_balance_msat, row.to_hash));
    }
    if (page.length < PAGE) break;
  }
  await removeClean(tx, dirty);
  return { dirty, clean: new Map(), commits: 0, lastPosition, writtenPosition: position, heads, batchId, writeBack: undefined };
}

/** Removes accounts whose rows are up to date: a write-back has reached them, or something is held on them. Reads what is held on the others. */
async function removeClean(tx: Tx, dirty: Map<number, AccountState>): Promise<void> {
  const ids = [...dirty.keys()];
  for (let i = 0; i < ids.length; i += PAGE) {
    for (const row of await tx.all(readAccounts, ids.slice(i, i + PAGE))) {
      const account = dirty.get(row.id);
      if (!account) continue;
      if (row.entries >= account.entries) dirty.delete(row.id);
      else account.heldMsat = row.heldMsat;
    }
  }
}

function accountAfter(id: number, entries: number, balanceMsat: number, head: Uint8Array): AccountState {
  return { id, balanceMsat: msat(balanceMsat), heldMsat: msat(0), entries, head };
}

export function beginChanges({ lastPosition, writtenPosition, heads, batchId, writeBack }: CacheState): CacheChanges {
  const accounts = { before: new Map(), changed: new Map(), writtenBack: new Set<number>() };
  return { lastPosition, writtenPosition, heads: heads.slice(), batchId, writeBack, ...accounts };
}

/** Applies the changes of a transaction, once it is committed. */
export function applyChanges(state: CacheState, { before: _before, changed, writtenBack, ...rest }: CacheChanges): void {
  for (const account of changed.values()) {
    state.dirty.set(account.id, account);
    state.clean.delete(account.id);
  }
  for (const id of writtenBack) state.dirty.delete(id);
  Object.assign(state, rest, { commits: state.commits + 1 });
}

/** Keeps an account as its row has it. The one that was added first is dropped when there are too many. */
export function addClean({ clean }: CacheState, account: AccountState, maxClean: number): void {
  if (clean.size >= maxClean) clean.delete(clean.keys().next().value as number);
  clean.set(account.id, account);
}

/** Writes the row of an account, if it is out of date. */
export async function writeBackAccount(tx: Tx, state: CacheState, changes: CacheChanges, id: number): Promise<void> {
  const account = changes.changed.get(id) ?? state.dirty.get(id);
  if (!account || changes.writtenBack.has(id)) return;
  const { balanceMsat, heldMsat, entries, head } = account;
  await tx.run(sql.writeAccount, id, balanceMsat, heldMsat, entries, head);
  changes.writtenBack.add(id);
}

/** Begins to write back all accounts that are dirty now. */
export function beginWriteBack(state: CacheState, changes: CacheChanges): void {
  const ids = new Set([...state.dirty.keys(), ...changes.changed.keys()]);
  changes.writeBack = { upToPosition: changes.lastPosition, ids: Float64Array.from(ids).sort(), done: 0 };
}

/** Writes back the next accounts, if a write-back has begun. */
export async function continueWriteBack(tx: Tx, state: CacheState, changes: CacheChanges, maxRows: number): Promise<void> {
  if (!changes.writeBack) return;
  const { upToPosition, ids, done } = changes.writeBack;
  const end = Math.min(ids.length, done + maxRows);
  for (const [index, id] of ids.subarray(done, end).entries()) {
    if (index > 0 && index % PER_TURN.writtenRows === 0) await pauseTransaction();
    await writeBackAccount(tx, state, changes, id);
  }
  changes.writeBack = end < ids.length ? { upToPosition, ids, done: end } : undefined;
  if (end === ids.length) changes.writtenPosition = upToPosition;
}
