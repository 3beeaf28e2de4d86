import type { Tx } from '../db/database.ts';
import type { Msat } from '../kernel/money.ts';
import { allAccounts, isSystemAccount } from '../ledger/ledger.ts';
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

export interface StatePage {
  readonly wallets: WalletState[];
  /** What the system's own accounts on this page are below zero: everything adds up to zero, so wallets add up to the sum of these. */
  readonly owedMsat: number;
}

/** How many wallets are read, and how many leaves written, at a time: some milliseconds, in which nothing else runs on SQLite. */
export const PAGE = 250;

/** All wallets of one snapshot, in pages, in the order of their ledger accounts. The one place where an epoch learns of balances. */
export async function* walletStates(snapshot: Tx): AsyncGenerator<StatePage> {
  for await (const page of allAccounts(snapshot, PAGE)) {
    const rows = await snapshot.all(
      sql.walletsOfAccounts,
      page.map(({ id }) => id),
    );
    const owners = new Map(rows.map(({ account, wallet_id }) => [account, wallet_id]));
    // A wallet that is missing here shows in the sum.
    const wallets = page.flatMap(({ id, balanceMsat, head }) => {
      const walletId = owners.get(id);
      return walletId === undefined ? [] : [{ walletId, account: id, balanceMsat, head: head.length === 0 ? NOTHING : head }];
    });
    const owedMsat = page.reduce((sum, { id, balanceMsat }) => (isSystemAccount(id) ? sum - balanceMsat : sum), 0);
    yield { wallets, owedMsat };
  }
}
