import type { Database } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';

const findBalances = statement<{
  source_id: string;
  balance_msat: number;
  held_msat: number;
  opening_msat: number;
  credits: number;
  history: number;
  keys: number;
  links: number;
}>(
  'test_import_balances',
  `SELECT m.source_id, a.balance_msat, a.held_msat, m.opening_msat,
     (SELECT count(*) FROM ledger_transfer t WHERE t.to_account = m.ledger_account) AS credits,
     (SELECT count(*) FROM imported_transaction t WHERE t.wallet_id = w.id) AS history,
     (SELECT count(*) FROM access_key k WHERE k.wallet_id = w.id) AS keys,
     (SELECT count(*) FROM pay_link l WHERE l.wallet_id = w.id) AS links
   FROM import_item m JOIN wallet w ON w.id = m.made JOIN ledger_account a ON a.id = w.ledger_account
   WHERE m.kind = 'wallet' ORDER BY m.source_id`,
);

const TABLES = [
  'account',
  'webhook',
  'wallet',
  'access_key',
  'pay_link',
  'invoice',
  'payment',
  'ledger_transfer',
  'ledger_hold',
  'imported_transaction',
  'settlement',
  'event',
];

const countAll = statement<Record<string, number>>(
  'test_import_counts',
  `SELECT ${TABLES.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`)}`,
);

/** Returns what an import has made, without ids and times. */
export async function importedState(database: Database) {
  return { wallets: await database.all(findBalances), counts: await database.first(countAll) };
}
