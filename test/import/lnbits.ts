import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { afterAll } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { findImportNode, type ImportOptions, type ImportResult, planImport, runImport } from '../../src/features/import/import.ts';
import { openLnbits } from '../../src/features/import/lnbits/lnbits.ts';
import type { ImportChoices } from '../../src/features/import/plan.ts';
import type { App } from '../support/app.ts';
import { silentLog } from '../support/ledger.ts';

const FIXTURES = join(import.meta.dirname, 'fixtures');

/** The balances that the API of LNbits 1.6.2 returned for the wallets of the fixture. */
export const BALANCES: readonly { readonly id: string; readonly balance_msat: number }[] = JSON.parse(
  readFileSync(join(FIXTURES, 'lnbits-1.6.2.json'), 'utf8'),
).balances;

/** Returns a function that copies the fixture to a folder, changed by some SQL, and returns the path of the file of the core. */
export function lnbitsFiles(): (...sql: readonly string[]) => string {
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  return (...sql) => {
    const folder = mkdtempSync(join(tmpdir(), 'satchel-lnbits-'));
    folders.push(folder);
    const unpack = (fixture: string, name: string) =>
      writeFileSync(join(folder, name), gunzipSync(readFileSync(join(FIXTURES, `${fixture}.gz`))));
    unpack('lnbits-1.6.2.sqlite3', 'database.sqlite3');
    unpack('ext_lnurlp.sqlite3', 'ext_lnurlp.sqlite3');
    const file = join(folder, 'database.sqlite3');
    const database = new DatabaseSync(file);
    for (const one of sql) database.exec(one);
    database.close();
    return file;
  };
}

/** Returns a wallet of the fixture with its keys. */
export function walletOf(file: string, id: string): { readonly name: string; readonly adminkey: string; readonly inkey: string } {
  const database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare('SELECT name, adminkey, inkey FROM wallets WHERE id = ?').get(id);
  database.close();
  return row as { name: string; adminkey: string; inkey: string };
}

const CHOICES: Omit<ImportChoices, 'node'> = { otherNode: 'a test', hasHistory: true, negative: 'refuse', allowedMismatches: new Map() };

/** Runs work with the options of an import from a file. */
export async function withLnbits<T>(
  database: Database,
  file: string,
  work: (options: ImportOptions) => Promise<T>,
  choices: Partial<ImportChoices> = {},
): Promise<T> {
  const source = await openLnbits(file);
  try {
    const node = await findImportNode(database);
    const rules = { addressDomains: ['wallets.example'], publicUrl: 'https://wallets.example' };
    return await work({ ...rules, database, clock: systemClock, source, choices: { ...CHOICES, ...choices }, node });
  } finally {
    await source.close();
  }
}

/** Stops the service, imports into its database, and starts it again. `meanwhile` runs after the import, before the start. */
export async function importInto(
  app: App,
  file: string,
  choices: Partial<ImportChoices> = {},
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<ImportResult> {
  let result: ImportResult | undefined;
  await app.restart(async () => {
    const database = await openDatabase(app.databaseUrl, { log: silentLog });
    try {
      result = await importLnbits(database, file, choices);
    } finally {
      await database.close();
    }
    await meanwhile();
  });
  if (!result) throw new Error('the import did not run');
  return result;
}

/** Looks at the plan and imports it. */
export function importLnbits(database: Database, file: string, choices: Partial<ImportChoices> = {}): Promise<ImportResult> {
  return withLnbits(
    database,
    file,
    async (options) => {
      const { plan } = await planImport(options);
      return runImport({ ...options, plan, isResume: false, readNodeBalance: async () => Number.MAX_SAFE_INTEGER });
    },
    choices,
  );
}

const bind = statement('test_import_bind', `UPDATE lightning_node SET pubkey = $1, network = 'regtest' WHERE ledger_account = 1`);

/** The node of the fixtures. */
export const PUBKEY = '027bb06cbd7aae77cb6e91d2091f2af26352aeab82b382eb7e9b16ef37f7dbd4e6';

/** Binds the ledger to the node of the source, as the first start of the service does. */
export async function bindNode(database: Database): Promise<void> {
  await database.transaction((tx) => tx.run(bind, PUBKEY));
}
