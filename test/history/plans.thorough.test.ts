import { expect, it } from 'vitest';
import * as keys from '../../src/core/accounts/accounts.sql.ts';
import type { Dialect } from '../../src/core/db/database.ts';
import type { Statement } from '../../src/core/db/statement.ts';
import { statement } from '../../src/core/db/statement.ts';
import * as invoices from '../../src/core/invoices/invoices.sql.ts';
import * as entries from '../../src/core/ledger/entries.sql.ts';
import * as ledger from '../../src/core/ledger/ledger.sql.ts';
import * as onPostgres from '../../src/core/ledger/store-postgres.sql.ts';
import * as onSqlite from '../../src/core/ledger/store-sqlite/store-sqlite.sql.ts';
import * as payments from '../../src/core/payments/payments.sql.ts';
import * as wallets from '../../src/core/wallets/wallets.sql.ts';
import * as links from '../../src/features/lnurl/withdraw/withdraw-links.sql.ts';
import * as lists from '../../src/features/transactions/lists.sql.ts';
import { onBothDatabases } from '../support/ledger.ts';

/** All reads of requests, with parameters of the right types. */
const READS: [Statement, unknown[]][] = [
  [entries.entryFrom, ['x', 5]],
  [entries.entryTo, ['x', 5]],
  [lists.entriesOfAccount, ['x', 1, 50]],
  [lists.ownedFrom, ['x', 'y']],
  [lists.ownedTo, ['x', 'y']],
  [lists.paidEntries, [['x']]],
  [lists.transferUpTo, [50]],
  [ledger.readHolds, [['x']]],
  [ledger.readHold, ['x']],
  [keys.findKey, ['secret_api', new Uint8Array(32)]],
  [wallets.findWallet, ['x']],
  [wallets.ownersOfLedgerAccounts, [[5]]],
  [wallets.listWallets.asc, ['x', 'y', 50, 0]],
  [wallets.listWallets.desc, ['x', 'y', 50, 0]],
  [invoices.findById, ['x']],
  [invoices.findByHash, ['x']],
  [invoices.findMany, [['x']]],
  [invoices.listOpenOfWallet, [5, 'y', 50]],
  [invoices.listOpenOfAll, ['y', 50]],
  [invoices.searchTexts, [['x']]],
  [lists.creditOfInvoice, ['x', 'y']],
  [payments.searchTexts, [['x']]],
  [payments.listByHashInWallet, ['x', 'y', 50]],
  [payments.listByHashInAccount, ['x', 'y', 50]],
  [payments.findById, ['x']],
  [payments.findByHashInWallet, ['x', 'y']],
  [payments.findByHashInAccount, ['x', 'y']],
  [payments.findLive, ['x']],
  [payments.findPayable, ['x', 'wal_x']],
  [payments.findMany, [['x']]],
  [payments.listPending, ['', 100]],
  [payments.findByTransfer, ['x']],
  ...Object.values(payments.listOfWallet).map((list): [Statement, unknown[]] => [list, ['x', 'y', 100]]),
  ...Object.values(payments.listOfAll).map((list): [Statement, unknown[]] => [list, ['y', 100]]),
  [payments.findPendingOfLink, ['x']],
  [payments.findClaim, ['x', 'y', 'z']],
  [links.findByToken, [0, new Uint8Array(32)]],
  [links.findByK1, [0, new Uint8Array(32)]],
  [links.findOfWallet, ['x', 'x', 0]],
  [links.listOfWallet.desc, ['x', '~', 50, 0, 0]],
  [links.readUses, ['x']],
];

/** The reads of the ledger's store, in either database. */
const READS_OF_STORE: Record<Dialect, [Statement, unknown[]][]> = {
  sqlite: [
    [onSqlite.pageOfEntries, [5, 1, 50, 100, 1000]],
    [onSqlite.readAccount, [5]],
    [onSqlite.readAccounts, [[5]]],
  ],
  postgres: [
    [onPostgres.pageOfEntries, [5, 1, 50]],
    [onPostgres.readAccount, [5]],
    [onPostgres.readAccounts, [[5]]],
  ],
};

onBothDatabases('W6: reads of constant cost', (open, dialect) => {
  it.each([...READS, ...READS_OF_STORE[dialect]].map(([read, parameters]) => [read.name, read, parameters] as const))(
    '%s finds its rows through an index',
    async (_name, read, parameters) => {
      const database = await open();
      const text = dialect === 'sqlite' ? `EXPLAIN QUERY PLAN ${read.sqlite}` : `EXPLAIN ${read.postgres}`;
      const explain = statement(`explain_${read.name}`, text);
      const rows = await database.all(explain, ...(parameters as []));
      const plan = rows.map((row) => Object.values(row).join(' ')).join('\n');
      // SQLite's word for reading a whole table is SCAN. List parameters and subqueries are exceptions.
      const whole = dialect === 'sqlite' ? /SCAN (?!json_each|CONSTANT|always|entries|start|walk|\(subquery)/ : /Seq Scan on (?!entries)/;
      expect(plan).not.toMatch(whole);
    },
  );
});
