import { beforeAll, expect, it } from 'vitest';
import type { Database, SqlValue } from '../../src/core/db/database.ts';
import { type Statement, statement } from '../../src/core/db/statement.ts';
import { isAmountInRange } from '../../src/core/journal/amount-range.ts';
import * as sql from '../../src/core/journal/wallet-transactions.sql.ts';
import { readTransactions, type WalletTransactionRow } from '../../src/core/journal/wallet-transactions.ts';
import { onBothDatabases } from '../support/ledger.ts';

const COUNT = 100_000;
/** Every 7,919th transaction has an amount of about 154 sats, the others 1000 sats or an amount of their own. */
const AMOUNT = `CASE WHEN n % 7919 = 0 THEN 153000 + (n / 7919) * 200 WHEN n % 2 = 0 THEN 1000000 ELSE 2000000 + n * 1000 END
  * CASE WHEN n % 3 = 0 THEN -1 ELSE 1 END`;
const ROWS = `SELECT n, 'wtx_' || n, 'wal_' || (n % 5), 1000 + n % 5, 'acc_x', 'ln_deposit', 'settled', ${AMOUNT}, n, 900000000000 + n * 37, n, '' FROM numbers`;
const insertRows = statement('test_insert_rows', {
  sqlite: `INSERT INTO wallet_transaction (position, id, wallet_id, ledger_account, account_id, type, status, amount_msat, entry, balance_msat,
      placed_at_ms, label)
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${COUNT}) ${ROWS}`,
  postgres: `INSERT INTO wallet_transaction (position, id, wallet_id, ledger_account, account_id, type, status, amount_msat, entry, balance_msat,
      placed_at_ms, label)
    WITH numbers AS (SELECT n::bigint FROM generate_series(1, ${COUNT}) AS n) ${ROWS}`,
});
const analyze = statement('test_analyze', 'ANALYZE wallet_transaction');
const everyRow = statement<WalletTransactionRow>('test_every_row', 'SELECT * FROM wallet_transaction ORDER BY position DESC');

onBothDatabases('100,000 transactions of an account', (open, dialect) => {
  let database: Database;
  let rows: readonly WalletTransactionRow[];
  /** The statements of a read and the rows that they returned. */
  let read: { name: string; rows: number }[] = [];
  let observed: Database;

  beforeAll(async () => {
    database = await open();
    await database.transaction((tx) => tx.run(insertRows));
    await database.transaction((tx) => tx.run(analyze));
    rows = await database.all(everyRow);
    observed = {
      ...database,
      async all<R extends Record<string, SqlValue>>(one: Statement<R>, ...parameters: never[]) {
        const found = await database.all(one, ...parameters);
        read.push({ name: one.name, rows: found.length });
        return found;
      },
    } as Database;
  });

  async function list(owner: { accountId: string } | { ledgerAccount: number }, minSat: number, maxSat: number, limit = 50) {
    read = [];
    const query = { status: 'all', order: 'desc', amount: { minSat, maxSat } } as const;
    return (await readTransactions(observed, owner, query, { after: undefined, limit })).rows.map(({ position }) => position);
  }

  it('are found by an exact amount without reading the others', async () => {
    const expected = rows.filter((row) => isAmountInRange({ minSat: 154, maxSat: 154 }, row)).map(({ position }) => position);
    expect(expected.length).toBeGreaterThan(2);
    expect(await list({ accountId: 'acc_x' }, 154, 154)).toEqual(expected);
    expect(read.map(({ name }) => name)).toEqual(['wallet_transaction_of_amount_of_account', 'wallet_transaction_find_positions']);
    expect(read.every((one) => one.rows < 20)).toBe(true);
    expect(await list({ accountId: 'acc_x' }, 999_999, 999_999)).toEqual([]);
    expect(await list({ accountId: 'acc_y' }, 154, 154)).toEqual([]);
  });

  it('are listed newest first in ranges with few, many and all of them', async () => {
    for (const [min, max] of [
      [100, 200],
      [2000, 12_000],
      [1000, 1000],
      [0, 9_000_000_000],
      [102_000, 9_000_000_000],
    ] as const) {
      const expected = rows.filter((row) => isAmountInRange({ minSat: min, maxSat: max }, row)).map(({ position }) => position);
      expect(await list({ accountId: 'acc_x' }, min, max)).toEqual(expected.slice(0, 50));
      expect(
        read.reduce((sum, one) => sum + one.rows, 0),
        `${min} to ${max}`,
      ).toBeLessThan(12_000);
    }
  });

  it('are read through the index of amounts', async () => {
    const parameters = { account: ['acc_x'], wallet: [1002] } as const;
    for (const owner of ['account', 'wallet'] as const) {
      const { name, sqlite, postgres } = sql.listsOfAmount[owner];
      const explain = statement(`explain_${name}`, dialect === 'sqlite' ? `EXPLAIN QUERY PLAN ${sqlite}` : `EXPLAIN ${postgres}`);
      const plan = await database.all(explain, ...([...parameters[owner], 153_000, 155_000, -155_000, -153_000, 10_001] as never[]));
      const text = plan.map((row) => Object.values(row).join(' ')).join('\n');
      expect(text.match(/USING COVERING INDEX wallet_transaction_amount|Scan using wallet_transaction_amount/g), text).toHaveLength(2);
      expect(text).not.toMatch(/SCAN wallet_transaction|Seq Scan on wallet_transaction/);
    }
  });
});
