import type { Tx } from '../db/database.ts';
import { invariant } from '../kernel/assert.ts';
import { msat } from '../kernel/money.ts';
import { type AccountState, accountState } from './account-state.ts';
import { SYSTEM_ACCOUNTS } from './accounts.ts';
import * as sql from './ledger.sql.ts';
import * as tailSql from './tail.sql.ts';
import type { Known } from './write-back.ts';

const PAGE = 2000;

/** What is committed, from the database alone: the rows, and what the transfers of the tail say that they do not say yet. */
export async function readKnown(tx: Tx): Promise<Known> {
  const tail = await tx.first(tailSql.readTail);
  invariant(tail, 'the ledger has a tail');
  const states = new Map<number, AccountState>();
  let last = tail.written;
  for (let page: tailSql.TailRow[] = []; ; ) {
    page = await tx.all(tailSql.transfersAfter, last, PAGE);
    for (const row of page) {
      last = row.position;
      states.set(row.from_account, stateAfter(last, row.from_account, row.from_entry, row.from_balance_msat, row.from_hash));
      states.set(row.to_account, stateAfter(last, row.to_account, row.to_entry, row.to_balance_msat, row.to_hash));
    }
    if (page.length < PAGE) break;
  }
  const ids = [...states.keys()];
  for (let i = 0; i < ids.length; i += PAGE) {
    for (const row of await tx.all(sql.readAccounts, ids.slice(i, i + PAGE))) {
      const state = states.get(row.id);
      if (!state) continue;
      // Rows that a sweep has reached do not lag, nor do those with something held.
      if (row.entries >= state.entries) states.delete(row.id);
      else state.heldMsat = msat(row.held_msat);
    }
  }
  return { ...tail, states, recent: new Map(), commits: 0, last, sweep: undefined };
}

function stateAfter(position: number, id: number, entries: number, balanceMsat: number, head: Uint8Array): AccountState {
  return { id, balanceMsat: msat(balanceMsat), heldMsat: msat(0), entries, head, lastPosition: position };
}

/**
 * All ledger accounts as one snapshot has them, in the order of their ids, a page at a time: for whatever has to see all balances at
 * one moment. Needs nothing but the database, so another process can do it as well.
 */
export async function* allAccounts(tx: Tx, pageSize = PAGE): AsyncGenerator<AccountState[]> {
  const lately = tx.dialect === 'sqlite' ? (await readKnown(tx)).states : new Map<number, AccountState>();
  for (let after = 0; ; ) {
    const page = await tx.all(sql.pageOfAccounts, after, pageSize);
    yield page.map((row) => lately.get(row.id) ?? accountState(row));
    if (page.length < pageSize) return;
    after = page.at(-1)?.id ?? 0;
  }
}

/** The system's own accounts as one snapshot has them. */
export async function systemAccounts(tx: Tx): Promise<AccountState[]> {
  for await (const page of allAccounts(tx, SYSTEM_ACCOUNTS.suspense)) return page;
  return [];
}
