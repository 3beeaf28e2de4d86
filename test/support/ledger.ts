import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, inject } from 'vitest';
import type { Database, Dialect, SqlValue, Tx } from '../../src/core/db/database.ts';
import { MIGRATIONS } from '../../src/core/db/migrate.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import { type Msat, msat } from '../../src/core/kernel/money.ts';
import { SYSTEM_ACCOUNTS } from '../../src/core/ledger/accounts.ts';
import { createLedger, type Ledger } from '../../src/core/ledger/ledger.ts';
import type { TransferOrder } from '../../src/core/ledger/posting.ts';
import { verify } from '../../src/features/verify/verify.ts';
import { dialects } from './dialects.ts';

/*
 * A ledger on SQLite and on PostgreSQL: for tests of the modules, without HTTP and without a node.
 *
 *   onBothDatabases('a transfer', (open) => {
 *     it('moves money', async () => {
 *       const database = await open();
 *       const { ledger, accounts } = await ledgerWith(database, [1_000, 0]);
 *       const [from = 0, to = 0] = accounts;
 *       await ledger.post({ transfers: [{ id: newId(), from, to, amountMsat: amount(300) }] });
 *       expect((await ledger.balance(to)).balanceMsat).toBe(300);
 *       expect(await problemsOf(database)).toEqual([]);
 *     });
 *   });
 */

export { MIGRATIONS };

export const silentLog = { info() {}, warn() {}, error() {} };

/** Runs a suite on SQLite and on PostgreSQL. `open` creates a migrated database, which is closed and removed after the suite. */
export function onBothDatabases(name: string, suite: (open: () => Promise<Database>, dialect: Dialect) => void): void {
  for (const dialect of dialects()) {
    describe(`${name} (${dialect})`, () => {
      const urls = migratedUrls(dialect);
      const opened: Database[] = [];
      afterAll(async () => {
        await Promise.all(opened.map((database) => database.close()));
      });
      suite(async () => {
        const database = await openDatabase(await urls(), { log: silentLog });
        opened.push(database);
        return database;
      }, dialect);
    });
  }
}

/** Returns a function that creates empty databases and returns their URLs. They are removed after the suite. */
export function freshUrls(dialect: Dialect): () => Promise<string> {
  return newUrls(dialect, { sqlite: () => undefined, postgres: () => '' });
}

/** The same with migrated databases. They have the same ids of nodes. */
export function migratedUrls(dialect: Dialect): () => Promise<string> {
  return newUrls(dialect, {
    sqlite: (file) => copyFileSync(inject('migrated').sqlite, file),
    postgres: () => inject('migrated').postgres,
  });
}

interface DatabaseSource {
  sqlite(file: string): void;
  /** Returns the end of CREATE DATABASE. */
  postgres(): string;
}

function newUrls(dialect: Dialect, source: DatabaseSource): () => Promise<string> {
  const cleanups: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const cleanup of cleanups) await cleanup();
  });
  return async () => {
    if (dialect === 'sqlite') {
      const folder = mkdtempSync(join(tmpdir(), 'satchel-test-'));
      cleanups.push(async () => rmSync(folder, { recursive: true, force: true }));
      const file = join(folder, 'satchel.db');
      source.sqlite(file);
      return `sqlite:${file}`;
    }
    const name = `test_${randomBytes(8).toString('hex')}`;
    await onServer(`CREATE DATABASE ${name} ${source.postgres()}`);
    cleanups.push(() => onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    const url = new URL(inject('postgresUrl'));
    url.pathname = `/${name}`;
    return url.href;
  };
}

let server: pg.Pool | undefined;

/** Runs a statement on the server of the tests. The connections stay open for the next ones. */
async function onServer(sql: string): Promise<void> {
  if (!server) {
    server = new pg.Pool({ connectionString: inject('postgresUrl'), max: 4, allowExitOnIdle: true });
    // The server may be stopped before the process of the tests.
    server.on('error', () => undefined);
  }
  await server.query(sql);
}

const openAccount = statement<{ id: number }>('test_open_account', `INSERT INTO ledger_account (kind) VALUES ('wallet') RETURNING id`);

/** Creates a ledger with one account per balance. */
export async function ledgerWith(database: Database, balancesMsat: readonly number[]): Promise<{ ledger: Ledger; accounts: number[] }> {
  const ledger = createLedger(database, systemClock);
  const accounts: number[] = [];
  for (const balance of balancesMsat) {
    const id = await database.transaction(async (tx) => (await tx.first(openAccount))?.id ?? 0);
    accounts.push(id);
    if (balance > 0) await ledger.post({ transfers: [testDeposit(id, balance)] });
  }
  return { ledger, accounts };
}

/** Returns a deposit that belongs to no invoice. `verify` reports it; {@link problemsOf} leaves it out. */
export function testDeposit(to: number, amountMsat: number): TransferOrder {
  const id = newId();
  testDeposits.add(`${id}: no invoice owns this credit`);
  return { id, from: SYSTEM_ACCOUNTS.node, to, amountMsat: msat(amountMsat) };
}

const testDeposits = new Set<string>();

/** Returns the problems that `verify` finds, without those of {@link testDeposit}. */
export async function problemsOf(database: Database): Promise<readonly string[]> {
  return (await verify(database)).problems.filter((problem) => !testDeposits.has(problem));
}

/** Returns the problems after a change, which is then rolled back. Each statement of the change must change one row. */
export async function problemsAfter(database: Database, changes: string, parameters: readonly SqlValue[]): Promise<readonly string[]> {
  let problems: readonly string[] = [];
  const rolledBack = new Error('rolled back');
  const work = async (tx: Tx) => {
    for (const sql of changes.split(';')) {
      const changed = await tx.run(statement(`test_change_${++change}`, sql), ...parameters);
      if (changed !== 1) throw new Error(`${sql} changed ${changed} rows`);
    }
    problems = await problemsOf({ ...database, snapshot: (look) => look(tx) });
    throw rolledBack;
  };
  await database.transaction(work).catch((error) => {
    if (error !== rolledBack) throw error;
  });
  return problems;
}

let change = 0;

/** Returns the problems of a ledger without payments, where holds, entries and credits have no owner. */
export async function problemsOfLedger(database: Database): Promise<readonly string[]> {
  return (await problemsOf(database)).filter(
    (problem) =>
      !/: (no payment owns this (hold|line)|no invoice owns this credit|no operator action owns this transfer of suspense|what the wallet lacked after a restore differs from what was booked|it differs from the recorded fees of the service)$/.test(
        problem,
      ),
  );
}

export function amount(value: number): Msat {
  return msat(value);
}
