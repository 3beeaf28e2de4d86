import type { Tx } from '../db/database.ts';
import { type Msat, msat } from '../kernel/money.ts';
import { SYSTEM_ACCOUNTS } from '../ledger/accounts.ts';
import { NOTHING } from './hashes.ts';
import * as sql from './proof.sql.ts';

/** What the ledger owes to a wallet, and the last entry of the wallet's chain. */
export interface WalletState {
  readonly walletId: string;
  readonly account: number;
  /** Posted, what is held included: until a payment succeeds, its money is still the customer's. */
  readonly balanceMsat: Msat;
  readonly head: Uint8Array;
}

/** How many wallets are read, and how many leaves written, at a time: some milliseconds, in which nothing else runs on SQLite. */
export const PAGE = 500;

/**
 * All wallets of one snapshot, in pages, in the order of their ledger accounts. The one place where an epoch learns of balances.
 */
export async function* walletStates(snapshot: Tx): AsyncGenerator<WalletState[]> {
  for (let after = 0; ; ) {
    const rows = await snapshot.all(sql.statesAfter, after, PAGE);
    if (rows.length > 0) yield rows.map(toState);
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = last.account;
  }
}

/** What all wallets must add up to in a snapshot: everything adds up to zero, so it is what the system's own accounts are below zero. */
export async function owedMsat(snapshot: Tx): Promise<Msat> {
  const row = await snapshot.first(sql.systemBalance, SYSTEM_ACCOUNTS.suspense);
  return msat(0 - (row?.balance_msat ?? 0));
}

function toState({ wallet_id, account, balance_msat, head }: sql.StateRow): WalletState {
  return { walletId: wallet_id, account, balanceMsat: msat(balance_msat), head: head ?? NOTHING };
}
