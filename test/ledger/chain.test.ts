import { describe, expect, it } from 'vitest';
import type { Database, SqlValue, Tx } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import { SYSTEM_ACCOUNTS } from '../../src/core/ledger/accounts.ts';
import { amount, ledgerWith, onBothDatabases, problemsOfLedger } from '../support/ledger.ts';

/** All columns with content. `position` only orders the rows; another test covers it. */
const COLUMNS = [
  'id',
  'amount_msat',
  'created_at_ms',
  'from_account',
  'from_entry',
  'from_balance_msat',
  'from_hash',
  'from_type',
  'from_lntx',
  'to_account',
  'to_entry',
  'to_balance_msat',
  'to_hash',
  'to_type',
  'to_lntx',
  'memo',
  'pass_thru',
];

type Row = Record<string, SqlValue> & { readonly position: SqlValue };

const statements = {
  every: (columns: readonly string[]) =>
    statement<Row>(`test_every_row_${columns.length}`, `SELECT position, ${columns.join(', ')} FROM ledger_transfer ORDER BY position`),
  insert: (columns: readonly string[]) =>
    statement(
      `test_insert_row_${columns.length}`,
      `INSERT INTO ledger_transfer (position, ${columns.join(', ')}) VALUES ($1, ${columns.map((_, index) => `$${index + 2}`).join(', ')})`,
    ),
  set: (column: string) => statement(`test_set_${column}`, `UPDATE ledger_transfer SET ${column} = $2 WHERE position = $1`),
};
const deleteRow = statement('test_delete_row', 'DELETE FROM ledger_transfer WHERE position = $1');
const move = statement('test_move_row', 'UPDATE ledger_transfer SET position = $2 WHERE position = $1');

/** Returns other values for a column. */
function forgeries(column: string, value: SqlValue = null): SqlValue[] {
  if (value instanceof Uint8Array) return [new Uint8Array(), value.map((byte, index) => (index === 0 ? byte ^ 1 : byte))];
  if (typeof value === 'number') return [value + 1, value - 1, value + 1000];
  const texts = [value === null ? 'forged' : `${value}x`, value === null ? '' : null];
  return column === 'id' ? texts.slice(0, 1) : texts;
}

/** Two wallets with deposits, transfers with all optional fields, and a payment with a fee. */
async function written(database: Database, writtenBack: boolean): Promise<Row[]> {
  const { ledger, accounts } = await ledgerWith(database, [5_000, 3_000]);
  const [a, b] = accounts as [number, number];
  for (let i = 1; i <= 3; i++) {
    const words = { fromType: 'ln_transfer_out', toType: 'ln_transfer_in', memo: `memo ${i}`, passThru: `{"i":${i}}` };
    await ledger.post({ transfers: [{ id: newId(), from: i % 2 ? a : b, to: i % 2 ? b : a, amountMsat: amount(100 * i), ...words }] });
  }
  await ledger.post({ holds: [{ id: 'h1', account: a, amountMsat: amount(700), reserveMsat: amount(50) }] });
  const spends = [
    { id: newId(), from: a, to: SYSTEM_ACCOUNTS.node, amountMsat: amount(700), fromType: 'ln_withdrawal', fromLntx: 'lntx_out' },
    { id: newId(), from: a, to: SYSTEM_ACCOUNTS.node, amountMsat: amount(7), fromType: 'network_fee', passThru: '{"source":1}' },
  ];
  await ledger.post({ posts: [{ holdId: 'h1', account: a, transfers: spends }] });
  const deposit = { id: newId(), from: SYSTEM_ACCOUNTS.node, to: b, amountMsat: amount(50), toType: 'ln_deposit', toLntx: 'lntx_in' };
  await ledger.post({ transfers: [deposit] });
  if (writtenBack) await ledger.drain();
  expect(await problemsOfLedger(database)).toEqual([]);
  return database.all(statements.every(COLUMNS));
}

/** A statement and its parameters. */
type Change = Parameters<Tx['run']>;

/** Runs changes. Returns false when the database rejects them. */
async function done(database: Database, ...changes: Change[]): Promise<boolean> {
  return database
    .transaction(async (tx) => {
      for (const change of changes) await tx.run(...change);
      return true;
    })
    .catch(() => false);
}

onBothDatabases('the chain of entries', (open, dialect) => {
  const columns = COLUMNS;
  // PostgreSQL writes all at once.
  describe.each(dialect === 'sqlite' ? [true, false] : [true])('(accounts’ rows written back: %s)', (writtenBack) => {
    for (const column of columns) {
      it(`B5: shows that ${column} of a transfer was changed, in any row and to any value`, async () => {
        const { database, rows } = await shared();
        for (const row of rows) {
          for (const forged of forgeries(column, row[column])) {
            const position = row.position;
            // A change that the schema rejects needs no detection.
            if (!(await done(database, [statements.set(column), position, forged ?? null]))) continue;
            const problems = await problemsOfLedger(database);
            await done(database, [statements.set(column), position, row[column] ?? null]);
            expect(problems, `row ${position}: ${column} ${row[column]} → ${forged}`).not.toEqual([]);
          }
        }
        expect(await problemsOfLedger(database)).toEqual([]);
      });
    }

    // If the accounts are also set back, missing last rows cannot be detected, because a chain has no fixed end. Only a copy of the heads
    // that is stored elsewhere reveals that.
    it('shows that a row is missing: the first, one in the middle or the last', async () => {
      const { database, rows } = await shared();
      for (const row of rows) {
        expect(await done(database, [deleteRow, row.position])).toBe(true);
        const problems = await problemsOfLedger(database);
        const back = await done(database, [statements.insert(columns), row.position, ...columns.map((column) => row[column] ?? null)]);
        expect(back).toBe(true);
        expect(problems, `row ${row.position}`).not.toEqual([]);
      }
      expect(await problemsOfLedger(database)).toEqual([]);
    });

    it('B5: shows that the last rows are missing, also when they cancel each other out', async () => {
      const database = await open();
      const { ledger, accounts } = await ledgerWith(database, [500, 500]);
      const [a, b] = accounts as [number, number];
      for (const [from, to] of [
        [a, b],
        [b, a],
      ] as const) {
        await ledger.post({ transfers: [{ id: newId(), from, to, amountMsat: amount(70) }] });
      }
      if (writtenBack) await ledger.drain();
      const lastTwo = (await database.all(statements.every(columns))).slice(-2).map((row): Change => [deleteRow, row.position]);
      expect(await done(database, ...lastTwo)).toBe(true);
      expect(await problemsOfLedger(database)).not.toEqual([]);
    });

    it('shows that the copy of the last entry in an account was changed', async () => {
      const { database } = await shared();
      for (const column of ['balance_msat', 'held_msat', 'entries', 'head']) {
        const set = statement(`test_set_account_${column}`, `UPDATE ledger_account SET ${column} = $2 WHERE id = $1`);
        const read = statement<{ id: number; value: SqlValue }>(`test_read_${column}`, `SELECT id, ${column} AS value FROM ledger_account`);
        for (const { id, value } of await database.all(read)) {
          const forged = typeof value === 'number' ? value + 1 : new Uint8Array(32);
          if (!(await done(database, [set, id, forged]))) continue;
          const problems = await problemsOfLedger(database);
          await done(database, [set, id, value]);
          expect(problems, `${column} of account ${id}`).not.toEqual([]);
        }
      }
      expect(await problemsOfLedger(database)).toEqual([]);
    });

    it('shows that two rows of an account changed places', async () => {
      const { database, rows } = await shared();
      const swap = (x: SqlValue, y: SqlValue) => done(database, [move, x, 1_000_000], [move, y, x], [move, 1_000_000, y]);
      for (const [index, x] of rows.entries()) {
        for (const y of rows.slice(index + 1)) {
          const between = rows.filter(({ position }) => Number(position) >= Number(x.position) && Number(position) <= Number(y.position));
          // Rows without a common account with the rows between them may be exchanged.
          if (
            !between.some((other) => other !== x && shareAccount(x, other)) &&
            !between.some((other) => other !== y && shareAccount(y, other))
          )
            continue;
          expect(await swap(x.position, y.position)).toBe(true);
          const problems = await problemsOfLedger(database);
          expect(await swap(x.position, y.position)).toBe(true);
          expect(problems, `rows ${x.position} and ${y.position}`).not.toEqual([]);
        }
      }
      expect(await problemsOfLedger(database)).toEqual([]);
    });

    it('shows that two rows exchanged their content', async () => {
      const { database, rows } = await shared();
      for (const column of columns) {
        for (const [index, x] of rows.entries()) {
          const y = rows[(index + 1) % rows.length] as Row;
          if (String(x[column]) === String(y[column])) continue;
          // Exchanging values of a unique column needs a temporary value.
          const meanwhile: SqlValue =
            x[column] instanceof Uint8Array ? new Uint8Array() : typeof x[column] === 'number' ? 999_999 : 'meanwhile';
          const swap = (one: SqlValue, other: SqlValue) =>
            done(
              database,
              [statements.set(column), x.position, meanwhile],
              [statements.set(column), y.position, other],
              [statements.set(column), x.position, one],
            );
          if (!(await swap(y[column] ?? null, x[column] ?? null))) continue;
          const problems = await problemsOfLedger(database);
          expect(await swap(x[column] ?? null, y[column] ?? null)).toBe(true);
          expect(problems, `${column} of rows ${x.position} and ${y.position}`).not.toEqual([]);
        }
      }
      expect(await problemsOfLedger(database)).toEqual([]);
    });

    const made: { history?: Promise<{ database: Database; rows: Row[] }> } = {};
    /** One history for all tests. Each test undoes its change. */
    function shared(): Promise<{ database: Database; rows: Row[] }> {
      made.history ??= open().then(async (database) => ({ database, rows: await written(database, writtenBack) }));
      return made.history;
    }
  });
});

function shareAccount(x: Row, y: Row): boolean {
  const accounts = [x.from_account, x.to_account];
  return accounts.includes(y.from_account) || accounts.includes(y.to_account);
}
