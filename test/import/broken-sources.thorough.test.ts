import { copyFileSync, mkdtempSync, readFileSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { planImport, requireNoUnfinishedImport, runImport } from '../../src/features/import/import.ts';
import { openLnbits } from '../../src/features/import/lnbits/lnbits.ts';
import type { ImportChoices } from '../../src/features/import/plan.ts';
import { onBothDatabases, problemsOf } from '../support/ledger.ts';
import { BALANCES, bindNode, importLnbits, lnbitsFiles, withLnbits } from './lnbits.ts';

const [FIRST = '', SECOND = ''] = BALANCES.map(({ id }) => id);

const countRows = statement<{ n: number }>(
  'test_import_rows',
  `SELECT (SELECT count(*) FROM wallet) + (SELECT count(*) FROM import_run) + (SELECT count(*) FROM import_item)
     + (SELECT count(*) FROM imported_transaction) + (SELECT count(*) FROM ledger_transfer) + (SELECT count(*) FROM account) AS n`,
);

onBothDatabases('a source that cannot be imported', (open) => {
  const files = lnbitsFiles();
  let database: Database;

  async function opened(): Promise<Database> {
    database = await open();
    await bindNode(database);
    return database;
  }

  // Nothing of a refused source is written.
  afterEach(async () => {
    expect(await database.first(countRows)).toEqual({ n: 0 });
    expect(await problemsOf(database)).toEqual([]);
    await requireNoUnfinishedImport(database);
  });

  const refusals: readonly [what: string, sql: readonly string[], reason: RegExp, choices?: Partial<ImportChoices>][] = [
    [
      'two invoices with one payment hash',
      [
        `UPDATE apipayments SET payment_hash = (SELECT payment_hash FROM apipayments WHERE amount > 0 AND status = 'success' LIMIT 1)
         WHERE rowid = (SELECT max(rowid) FROM apipayments WHERE amount > 0 AND status = 'success')`,
      ],
      /another invoice has the payment hash [0-9a-f]{64} too/,
    ],
    [
      'a negative balance',
      [
        `INSERT INTO apipayments (checking_id, amount, fee, wallet_id, time, status) VALUES ('spent', -90000000000, 0, '${FIRST}', 1, 'success')`,
      ],
      /it has -\d+ msat\. Cover it in the source, or bear it with --negative zero-and-report or --negative forgive/,
    ],
    [
      'a pending payment without an invoice',
      [`UPDATE apipayments SET bolt11 = 'lnbc1' WHERE status = 'pending' AND amount < 0 AND wallet_id = '${FIRST}'`],
      /the pending payment .* has no valid invoice of regtest/,
    ],
    [
      'a pending internal payment',
      [`UPDATE apipayments SET checking_id = 'internal_x' WHERE status = 'pending' AND amount < 0 AND wallet_id = '${FIRST}'`],
      /internal_x is pending and not a payment over Lightning/,
    ],
  ];

  it.each(refusals)('M4: is refused if it has %s', async (_, sql, reason, choices) => {
    await expect(importLnbits(await opened(), files(...sql), choices)).rejects.toThrow(reason);
  });

  const unusable: readonly [what: string, sql: readonly string[], reason: RegExp][] = [
    ['a table is missing', ['DROP VIEW balances', 'DROP TABLE apipayments'], /has no table apipayments/],
    [
      'a column is missing',
      ['DROP VIEW balances', 'ALTER TABLE apipayments RENAME COLUMN fee TO fees'],
      /apipayments of the source lacks the columns fee\b/,
    ],
    [
      'a row belongs to no wallet',
      [`DELETE FROM wallets WHERE id = '${SECOND}'`],
      /belongs to the wallet 6b95155a757d46dc825e1c3e51efe7bc, which the source does not have/,
    ],
    ['it is of a future version', ['UPDATE dbversions SET version = 51'], /has migration 51 of LNbits, .* knows them up to 50/],
    ['a status is unknown', ["UPDATE apipayments SET status = 'settling' WHERE rowid = 5"], /status must be pending, success or failed/],
    ['an amount is no whole number', ['UPDATE apipayments SET amount = 1.5 WHERE rowid = 5'], /must be a whole number/],
    ['a time is unreadable', ["UPDATE apipayments SET time = 'soon' WHERE rowid = 5"], /must be a time/],
  ];

  it.each(unusable)('M4: is refused if %s', async (_, sql, reason) => {
    await expect(importLnbits(await opened(), files(...sql))).rejects.toThrow(reason);
  });

  it('M4: is refused if its file was copied in part', async () => {
    const file = files();
    truncateSync(file, 200_000);
    await expect(importLnbits(await opened(), file)).rejects.toThrow(/cannot be read .*copy the file with its -wal and -shm files/);
  });

  it('M4: is refused if its file does not exist, is a folder or is no database', async () => {
    await opened();
    const folder = mkdtempSync(join(tmpdir(), 'satchel-broken-'));
    await expect(openLnbits(join(folder, 'missing'))).rejects.toThrow(/does not exist/);
    await expect(openLnbits(folder)).rejects.toThrow(/is a folder/);
    copyFileSync(import.meta.filename, join(folder, 'text'));
    await expect(openLnbits(join(folder, 'text'))).rejects.toThrow(/cannot be read/);
  });

  it('M4: is refused if it has changed since the dry run', async () => {
    const file = files();
    await opened();
    const { plan } = await withLnbits(database, file, planImport);
    const source = new DatabaseSync(file);
    source.exec(`UPDATE apipayments SET memo = 'another' WHERE rowid = 3`);
    source.close();
    const rest = { isResume: false, readNodeBalance: async () => undefined };
    await expect(withLnbits(database, file, (options) => runImport({ ...options, plan, ...rest }))).rejects.toThrow(
      /have changed since the dry run/,
    );
  });

  it('M4: is refused if the options differ from those of the dry run', async () => {
    const file = files();
    await opened();
    const { plan } = await withLnbits(database, file, planImport);
    const run = (choices: Partial<ImportChoices>) =>
      withLnbits(database, file, (options) => runImport({ ...options, plan, isResume: false, readNodeBalance: async () => 0 }), choices);
    for (const choices of [{ only: [FIRST] }, { isAll: true }, { hasHistory: false }, { addressDomain: 'wallets.example' }])
      await expect(run(choices)).rejects.toThrow(/have changed since the dry run/);
  });

  it('is refused while the ledger has no Lightning node', async () => {
    database = await open();
    await expect(importLnbits(database, files())).rejects.toThrow(/not bound to a Lightning node yet/);
  });

  it('is only read', async () => {
    const file = files();
    const before = readFileSync(file);
    await withLnbits(await opened(), file, planImport);
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

onBothDatabases('an import with exceptions', (open) => {
  const files = lnbitsFiles();
  const overdraw = `INSERT INTO apipayments (checking_id, amount, fee, wallet_id, time, status) VALUES ('spent', -90000000000, 0, '${FIRST}', 1, 'success')`;

  async function opened(): Promise<Database> {
    const database = await open();
    await bindNode(database);
    return database;
  }

  it('leaves out a wallet with a negative balance, and imports the others', async () => {
    const database = await opened();
    const result = await importLnbits(database, files(overdraw), { except: [FIRST] });
    expect([result.problems, result.wallets]).toEqual([[], BALANCES.length]);
    expect(await problemsOf(database)).toEqual([]);
  });

  it('imports a wallet with a negative balance as empty, and reports what the operator bears', async () => {
    const database = await opened();
    // Its pending payment has ended before.
    const ended = `UPDATE apipayments SET status = 'failed' WHERE status = 'pending' AND amount < 0`;
    const result = await importLnbits(database, files(ended, overdraw), { negative: 'zero', only: [FIRST, SECOND] });
    const planned = result.report.wallets.find(({ source_id }) => source_id === FIRST);
    expect(planned).toMatchObject({ action: 'import', opening_msat: 0 });
    expect(result.report.sums.shortfall_msat).toBe(0 - (planned?.computed_balance_msat ?? 0));
    expect([result.problems, result.wallets]).toEqual([[], 2]);
    expect(await problemsOf(database)).toEqual([]);
  });

  it('imports deleted wallets on request, and later the rest', async () => {
    const database = await opened();
    const file = files();
    const some = await importLnbits(database, file, { only: [FIRST] });
    expect([some.problems, some.wallets]).toEqual([[], 1]);
    const all = await importLnbits(database, file, { isAll: true });
    expect([all.problems, all.made.length]).toEqual([[], BALANCES.length + 3]);
    expect(await problemsOf(database)).toEqual([]);
  });

  it('imports balances without the history', async () => {
    const database = await opened();
    const result = await importLnbits(database, files(), { hasHistory: false });
    expect(result.problems).toEqual([]);
    expect(await database.first(statement<{ n: number }>('test_import_history', 'SELECT count(*) AS n FROM imported_transaction'))).toEqual(
      { n: 0 },
    );
  });

  it('M3: does not end, and does not let the service start, while the node has less than the ledger owes', async () => {
    const database = await opened();
    const file = files();
    const run = (nodeMsat: number | undefined, more: object = {}) =>
      withLnbits(database, file, async (options) => {
        const { plan } = await planImport(options);
        return runImport({ ...options, plan, isResume: false, readNodeBalance: async () => nodeMsat, ...more });
      });
    const poor = await run(1000);
    expect(poor.problems).toEqual([expect.stringMatching(/^the node has 1000 msat, and the ledger owes \d+ msat/)]);
    await expect(requireNoUnfinishedImport(database)).rejects.toThrow(/has not ended.*--plan [0-9a-f]{32} --resume/);
    await expect(run(1000)).rejects.toThrow(/Continue it with --resume/);
    const silent = await run(undefined, { isResume: true });
    expect(silent.problems).toEqual([expect.stringMatching(/does not answer/)]);
    const accepted = await run(1000, { isResume: true, acceptedShortfall: 'the rest is in another node' });
    expect(accepted.problems).toEqual([]);
    await requireNoUnfinishedImport(database);
    expect(await problemsOf(database)).toEqual([]);
  });
});

describe('a password in the URL of a source', () => {
  it('is not in the error', async () => {
    await expect(openLnbits('postgres://lnbits:geheim@127.0.0.1:1/lnbits')).rejects.toThrow(
      /^(?!.*geheim).*cannot be opened \(ECONNREFUSED\)/,
    );
  });
});
