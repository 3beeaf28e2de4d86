import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { startSatchel } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import type { Dialect } from '../src/core/db/database.ts';
import { openDatabase } from '../src/core/db/open.ts';
import { statement } from '../src/core/db/statement.ts';
import { systemClock } from '../src/core/kernel/clock.ts';
import { createLedger } from '../src/core/ledger/ledger.ts';
import { hashesOf } from '../test/move/contents.ts';
import { moveWithKills } from '../test/move/killed-move.ts';
import { startPostgres } from '../test/support/global-postgres.ts';
import { transfer } from './filling.ts';
import { DATABASE_NAMES } from './run.ts';
import { perSecond } from './sides.ts';

/**
 * Moves a ledger from SQLite to PostgreSQL and back, once without and once with kills, and compares all rows:
 * `node bench/move.ts --transfers=5000000 --kills=20`. It prints minutes. `--folder` needs about 3 kB per transfer.
 */
const { values } = parseArgs({
  options: {
    transfers: { type: 'string', default: '20000' },
    kills: { type: 'string', default: '20' },
    folder: { type: 'string', default: '/tmp' },
  },
});
const [transfers, kills] = [Number(values.transfers), Number(values.kills)];
const WALLETS = 1000;
const PER_POSTING = 100;
const CALLERS = 64;
const SECRET_KEY = `sak_${'b'.repeat(30)}`;
const silentLog = { info() {}, warn() {}, error() {} };

const folder = mkdtempSync(join(values.folder, 'satchel-move-'));
const server = await startPostgres({ flags: [], initFlags: [] });
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

function print(text: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<{ result: T; minutes: number }> {
  const startMs = performance.now();
  const result = await work();
  const minutes = (performance.now() - startMs) / 60_000;
  print(`${what}: ${minutes.toFixed(2)} minutes`);
  return { result, minutes };
}

/** Creates funded wallets with the service, and transfers between them with the ledger alone. */
async function fill(url: string): Promise<void> {
  const settings = { DATA_DIR: folder, DATABASE_URL: url, LIGHTNING_URL: 'fake:', LOG_LEVEL: 'silent', RATE_LIMIT_PER_SECOND: '0' };
  const satchel = await startSatchel(readConfig({ ...settings, BOOTSTRAP_SECRET_KEY: SECRET_KEY, PROOF_INTERVAL_SECONDS: '0' }));
  const headers = { 'x-api-key': SECRET_KEY, 'content-type': 'application/json' };
  const post = async (path: string, payload: object) =>
    (await satchel.server.inject({ method: 'POST', url: path, headers, payload })).json();
  for (let i = 0; i < WALLETS; i++) {
    const { id } = await post('/v1/wallet', { user_label: `Wallet ${i}` });
    await post('/playground/fund', { wallet_id: id, num_satoshis: 10_000 });
  }
  await satchel.close();
  const database = await openDatabase(url, { log: silentLog });
  const accounts = await database.all(statement<{ id: number }>('bench_accounts', 'SELECT ledger_account AS id FROM wallet'));
  const ledger = createLedger(database, systemClock);
  let next = 0;
  const nextTransfer = () => {
    const [from, step] = [next % WALLETS, 1 + (Math.floor(next / WALLETS) % (WALLETS - 1))];
    next += 1;
    return transfer(accounts[from]?.id ?? 0, accounts[(from + step) % WALLETS]?.id ?? 0).transfers ?? [];
  };
  await perSecond(Math.ceil(transfers / PER_POSTING), CALLERS, () =>
    ledger.post({ transfers: Array.from({ length: PER_POSTING }, nextTransfer).flat() }),
  );
  await ledger.drain();
  await database.close();
}

let databases = 0;

async function onServer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(sql).finally(() => client.end());
}

async function newDatabase(dialect: Dialect): Promise<string> {
  const name = `move_${++databases}`;
  if (dialect === 'sqlite') return `sqlite:${join(folder, `${name}.db`)}`;
  await onServer(`CREATE DATABASE ${name}`);
  return server.url.replace(/[^/]*$/, name);
}

async function remove(url: string): Promise<void> {
  if (url.startsWith('sqlite:')) rmSync(url.slice('sqlite:'.length));
  else await onServer(`DROP DATABASE ${url.replace(/.*\//, '')} WITH (FORCE)`);
}

/** @returns the new database, and how often the move was killed */
async function moveOn(from: string, kills: number, expectedMinutes: number): Promise<{ to: string; killed: number; minutes: number }> {
  const to = await newDatabase(from.startsWith('sqlite:') ? 'postgres' : 'sqlite');
  const what = `${DATABASE_NAMES[from.startsWith('sqlite:') ? 'sqlite' : 'postgres']} to the other database, to be killed ${kills} times`;
  const lifeMs = () => Math.random() * expectedMinutes * 60_000;
  const { result: killed, minutes } = await timed(what, () => moveWithKills({ from, to, kills, lifeMs, onRun: print }));
  if (JSON.stringify(await hashesOf(to)) !== hashes) throw new Error('the rows differ');
  print(`killed ${killed} times; all rows are equal`);
  await remove(from);
  return { to, killed, minutes };
}

let hashes = '';
try {
  const first = await newDatabase('sqlite');
  await timed(`fill with ${transfers.toLocaleString('en')} transfers`, () => fill(first));
  print(`${(statSync(first.slice('sqlite:'.length)).size / 1e9).toFixed(2)} GB`);
  hashes = JSON.stringify(await hashesOf(first));
  const there = await moveOn(first, 0, 0);
  const back = await moveOn(there.to, 0, 0);
  let { to } = back;
  for (let killed = 0, moves = 0; killed < kills || moves < 2; moves++) {
    const next = await moveOn(to, Math.min(Math.ceil(kills / 2), kills - killed), (moves % 2 === 0 ? there : back).minutes / 2);
    [to, killed] = [next.to, killed + next.killed];
  }
} finally {
  await server.stop();
}
