import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { migrate } from '../../src/core/db/migrate.ts';
import { openDatabase, sqlitePathOf } from '../../src/core/db/open.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { writeBack } from '../../src/features/move/move.ts';
import { continueIdentities } from '../../src/features/move/target-schema.ts';
import type { Client, Json, TestWallet } from '../support/client.ts';
import { MIGRATIONS, silentLog } from '../support/ledger.ts';
import { startProcess } from '../support/process.ts';

/*
 * Data of earlier versions, in test/upgrade/stored: `<version>.db.gz` is a SQLite database, `<version>.node.gz` the file of its fake node, and
 * `<version>.json` what its service answered. The rows are the same on PostgreSQL, so that one database serves both.
 */

export const STORED = join(import.meta.dirname, 'stored');

/** The secrets of every stored service. */
export const SECRETS = { SECRET_KEY: '5a'.repeat(32), BOOTSTRAP_SECRET_KEY: `sak_${'upgrade'.repeat(4)}` };

export interface StoredData {
  /** What belongs to each wallet, with money that is held, in msat. */
  readonly balances: Readonly<Record<string, number>>;
  /** The answers of some routes, by path. */
  readonly answers: Readonly<Record<string, Json>>;
}

/** Runs a service on a new SQLite database and a new fake node, and writes both and its answers to `<folder>/<name>`. */
export async function storeData(settings: Record<string, string>, dataDir: string, folder: string, name: string): Promise<void> {
  const database = join(dataDir, 'satchel.db');
  // A payment to a hold invoice is pending after one second.
  const service = await startProcess({ ...settings, ...SECRETS, DATABASE_URL: `sqlite:${database}`, PAYMENT_WAIT_SECONDS: '1' });
  const data = await fill(service.client);
  await service.stop();
  const opened = await openDatabase(`sqlite:${database}`, { log: silentLog });
  await writeBack(opened, { clock: systemClock }).finally(() => opened.close());
  const file = new DatabaseSync(database);
  file.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE; VACUUM');
  file.close();
  for (const [ending, path] of [
    ['db', database],
    ['node', join(dataDir, 'fake.db')],
  ] as const)
    writeFileSync(join(folder, `${name}.${ending}.gz`), gzipSync(readFileSync(path), { level: 9 }));
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(data, undefined, 2)}\n`);
}

/** Creates objects of many kinds, among them a payment that is pending. */
async function fill(client: Client): Promise<StoredData> {
  const [alma, bert, held] = [await client.namedWallet('alma', 5000), await client.wallet(700), await client.wallet(900)];
  const bill = (more = {}): Promise<Json> => client.post('/playground/invoice', { num_satoshis: 100, ...more });
  const pay = async (wallet: TestWallet, { payment_request }: Json): Promise<Json> => {
    const { body } = await client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: client.secretKey, json: { payment_request } });
    return body;
  };
  const paid = await pay(alma, await bill());
  const cancelled = await bill({ hold: true });
  await pay(alma, cancelled);
  await client.decideHold(cancelled.payment_hash, 'cancel');
  await pay(held, await bill({ hold: true }));
  await client.post(`/v1/wallet/${alma.id}/transfer`, { dest_wallet_id: bert.id, num_satoshis: 250, memo: 'rent' });
  const open = await client.post(`/v1/wallet/${bert.id}/invoice`, { num_satoshis: 42, memo: 'open', expiry: 86_400 });
  await client.post(`/v1/wallet/${bert.id}/lnurl/withdraw`, { num_satoshis: 10 });
  await client.post('/v1/webhooks', { url: 'https://hook.invalid/', event_types: ['wallet_receive'] });
  await client.post('/v1/accounts', { role: 'member' });
  const paths = [alma, bert].flatMap(({ id }) => [`/v1/wallet/${id}`, `/v1/wallet/${id}/transactions`]);
  const answers: Record<string, Json> = {};
  for (const path of [...paths, `/v1/lntx/${paid.lnTx.id}`, `/v1/lntx/${open.id}`, '/v1/webhooks']) answers[path] = await client.get(path);
  const balances = (await client.list('/v1/wallets')).map(({ id, balance_msat, pending_msat }: Json) => [id, balance_msat + pending_msat]);
  return { balances: Object.fromEntries(balances), answers };
}

/** Creates the stored database, as a copy or on PostgreSQL with its schema and rows, and the file of its node in `dataDir`. */
export async function loadData(folder: string, name: string, url: string, dataDir: string): Promise<StoredData> {
  const bytes = gunzipSync(readFileSync(join(folder, `${name}.db.gz`)));
  writeFileSync(join(dataDir, 'fake.db'), gunzipSync(readFileSync(join(folder, `${name}.node.gz`))), { mode: 0o600 });
  const path = sqlitePathOf(url);
  if (path === undefined) await loadIntoPostgres(bytes, url);
  else writeFileSync(path, bytes, { mode: 0o600 });
  return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as StoredData;
}

async function loadIntoPostgres(bytes: Uint8Array, url: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-stored-'));
  try {
    const file = join(folder, 'stored.db');
    writeFileSync(file, bytes);
    const source = new DatabaseSync(file, { readOnly: true });
    const names = source.prepare('SELECT name FROM schema_migration ORDER BY version').all();
    // Released migrations are never edited.
    const migrations = join(folder, 'migrations');
    mkdirSync(migrations);
    for (const { name } of names) copyFileSync(join(MIGRATIONS, String(name)), join(migrations, String(name)));
    const target = await openDatabase(url, { log: silentLog });
    await migrate(target, migrations);
    await copyRows(source, url);
    await continueIdentities(target).finally(() => target.close());
    source.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function copyRows(source: DatabaseSync, url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Neither triggers nor foreign keys: the rows have passed them.
    await client.query('SET session_replication_role = replica');
    const own = await client.query('SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()');
    const tables = new Set(own.rows.map(({ table_name }) => table_name));
    tables.delete('schema_migration');
    const list = source.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
    for (const table of list.map(({ name }) => String(name)).filter((name) => tables.has(name))) {
      const rows = source.prepare(`SELECT * FROM "${table}"`);
      rows.setReadBigInts(true);
      await client.query(`DELETE FROM "${table}"`);
      for (const row of rows.iterate()) {
        const columns = Object.keys(row).map((name) => `"${name}"`);
        const values = columns.map((_, index) => `$${index + 1}`);
        const insert = `INSERT INTO "${table}" (${columns.join(', ')}) OVERRIDING SYSTEM VALUE VALUES (${values.join(', ')})`;
        await client.query(insert, Object.values(row).map(toPostgres));
      }
    }
  } finally {
    await client.end();
  }
}

function toPostgres(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value) : typeof value === 'bigint' ? String(value) : value;
}
