import type { Database } from '../src/core/db/database.ts';
import { statement } from '../src/core/db/statement.ts';
import { newId } from '../src/core/kernel/ids.ts';
import { msat } from '../src/core/kernel/money.ts';
import type { Ledger } from '../src/core/ledger/ledger.ts';
import type { Posting } from '../src/core/ledger/posting.ts';
import { perSecond } from './sides.ts';

const FUNDS_MSAT = 1_000_000_000_000;

const openAccounts = statement('bench_open_accounts', {
  sqlite: `INSERT INTO ledger_account (kind, balance_msat)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1) SELECT 'wallet', $2 FROM n`,
  postgres: `INSERT INTO ledger_account (kind, balance_msat) SELECT 'wallet', $2::bigint FROM generate_series(1, $1::bigint)`,
});

const lastAccount = statement<{ id: number }>('bench_last_account', 'SELECT max(id) AS id FROM ledger_account');

const fundAll = statement('bench_fund_all', `UPDATE ledger_account SET balance_msat = $1 WHERE kind = 'wallet'`);

const openAccount = statement('bench_open_account', `INSERT INTO account (id, created_at) VALUES ('acc_bench', 0)`);

const openWallets = statement('bench_open_wallets', {
  sqlite: `INSERT INTO wallet (id, account_id, ledger_account, node_id, user_label, status, created_at, updated_at)
    SELECT 'wal_' || printf('%022d', a.id), 'acc_bench', a.id, n.id, '', 'active', 0, 0 FROM ledger_account a, lightning_node n WHERE kind = 'wallet' AND a.id >= $1`,
  postgres: `INSERT INTO wallet (id, account_id, ledger_account, node_id, user_label, status, created_at, updated_at)
    SELECT 'wal_' || lpad(a.id::text, 22, '0'), 'acc_bench', a.id, n.id, '', 'active', 0, 0 FROM ledger_account a, lightning_node n WHERE kind = 'wallet' AND a.id >= $1`,
});

/** Opens funded ledger accounts in one statement. Their balances have no entries. */
export async function openFunded(database: Database, count: number): Promise<{ first: number; count: number }> {
  await database.transaction((tx) => tx.run(openAccounts, count, FUNDS_MSAT));
  const last = (await database.first(lastAccount))?.id ?? 0;
  return { first: last - count + 1, count };
}

/** Sets the same balance on every wallet's ledger account, without entries. */
export async function fundWallets(database: Database): Promise<void> {
  await database.transaction((tx) => tx.run(fundAll, FUNDS_MSAT));
}

/** Creates a wallet for every ledger account of kind `wallet` from `first` on, in one statement. */
export async function openWalletsOf(database: Database, first = 0): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.run(openAccount);
    await tx.run(openWallets, first);
  });
}

/** Returns the id of a wallet that {@link openWalletsOf} created. */
export function walletIdOf(ledgerAccount: number): string {
  return `wal_${String(ledgerAccount).padStart(22, '0')}`;
}

export function transfer(from: number, to: number): Posting {
  return {
    transfers: [{ id: newId(), from, to, amountMsat: msat(1000), fromType: 'ln_transfer_out', toType: 'ln_transfer_in', memo: 'bench' }],
  };
}

/** Returns a transfer between two different random accounts. */
export function spread({ first, count }: { first: number; count: number }): Posting {
  const from = Math.floor(Math.random() * count);
  const step = 1 + Math.floor(Math.random() * (count - 1));
  return transfer(first + from, first + ((from + step) % count));
}

const FILL_CONCURRENCY = 512;

export async function fillWithTransfers(ledger: Ledger, count: number, posting: () => Posting): Promise<void> {
  await perSecond(count, FILL_CONCURRENCY, () => ledger.post(posting()));
}
