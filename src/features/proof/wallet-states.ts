import type { Tx } from '../../core/db/database.ts';
import type { Msat } from '../../core/kernel/money.ts';
import { allAccounts, isSystemAccount } from '../../core/ledger/ledger.ts';
import { NOTHING } from './hashes.ts';
import * as sql from './proof.sql.ts';

/** The balance of a wallet, and the hash of its last entry. */
export interface WalletState {
  readonly walletId: string;
  readonly account: number;
  /** The posted balance, including held money: until a payment succeeds, its money belongs to the customer. */
  readonly balanceMsat: Msat;
  readonly head: Uint8Array;
}

export interface StatePage {
  readonly wallets: WalletState[];
  /** Minus the balances of the system's accounts on this page. All accounts sum to zero, so the wallets sum to the total of these. */
  readonly owedMsat: number;
}

/** How many wallets are read, and leaves written, at a time. On SQLite this blocks the process for some milliseconds. */
export const PAGE = 250;

/** Reads all wallets of one snapshot, in pages, in the order of their ledger accounts. */
export async function* walletStates(snapshot: Tx): AsyncGenerator<StatePage> {
  for await (const page of allAccounts(snapshot, PAGE)) {
    const rows = await snapshot.all(
      sql.walletsOfAccounts,
      page.map(({ id }) => id),
    );
    const owners = new Map(rows.map(({ account, wallet_id }) => [account, wallet_id]));
    // If a wallet is missing, the sums disagree.
    const wallets = page.flatMap(({ id, balanceMsat, head }) => {
      const walletId = owners.get(id);
      return walletId === undefined ? [] : [{ walletId, account: id, balanceMsat, head: head.length === 0 ? NOTHING : head }];
    });
    const owedMsat = page.reduce((sum, { id, balanceMsat }) => (isSystemAccount(id) ? sum - balanceMsat : sum), 0);
    yield { wallets, owedMsat };
  }
}
