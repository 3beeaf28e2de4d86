import type { Tx } from '../../db/database.ts';
import { invariant } from '../../kernel/assert.ts';
import { msat } from '../../kernel/money.ts';
import { type AccountState, NO_ENTRY } from '../arithmetic.ts';
import type { CacheState } from './cache-state.ts';
import * as sql from './store-sqlite.sql.ts';

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
    for (const row of await tx.all(sql.readAccounts, ids.slice(i, i + PAGE))) {
      const account = dirty.get(row.id);
      if (!account) continue;
      if (row.entries >= account.entries) dirty.delete(row.id);
      else account.heldMsat = msat(row.held_msat);
    }
  }
}

function accountAfter(id: number, entries: number, balanceMsat: number, head: Uint8Array): AccountState {
  return { id, balanceMsat: msat(balanceMsat), heldMsat: msat(0), entries, head };
}

export function rowToAccount({ id, balance_msat, held_msat, entries, head }: sql.AccountRow): AccountState {
  return { id, balanceMsat: msat(balance_msat), heldMsat: msat(held_msat), entries, head: head ?? NO_ENTRY };
}

/** Returns a function that reads a page of accounts after an id, as a snapshot has them. Works in any process, also while the service runs. */
export async function sqliteAccountsOf(tx: Tx): Promise<(after: number, limit: number) => Promise<AccountState[]>> {
  const { dirty } = await readCache(tx);
  return async (after, limit) => {
    const rows = await tx.all(sql.pageOfAccounts, after, limit);
    return rows.map((row) => dirty.get(row.id) ?? rowToAccount(row));
  };
}
