import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { startSatchel } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { SOURCE_NAMES, type SourceName } from '../src/features/import/source.ts';
import { albyhubRows, lnbitsRows, lndhubRows, lnpayRows } from '../test/import/many-rows.ts';
import { startPostgres } from '../test/support/global-postgres.ts';
import { DATABASE_NAMES, DIALECTS } from './run.ts';

/**
 * Imports a long history of one wallet from each program into each database: `node bench/import.ts --rows=1000000`. It prints the minutes of the dry run
 * and of the import, and the largest memory of each process, which Linux reports. `--folder` needs about 4 kB per row.
 */
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '100000' },
    source: { type: 'string', multiple: true, default: [...SOURCE_NAMES] },
    database: { type: 'string', multiple: true, default: [...DIALECTS] },
    folder: { type: 'string', default: '/tmp' },
  },
});
const rows = Number(values.rows);
const FIXTURES = join(import.meta.dirname, '..', 'test', 'import');
const PROGRAM = join(import.meta.dirname, '..', 'src', 'cli', 'satchel.ts');
const LIGHTNING_URL = 'fake:?seed=import';

const folder = mkdtempSync(join(values.folder, 'satchel-import-'));
const server = await startPostgres({ flags: [], initFlags: [] });
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

function print(text: string): void {
  process.stdout.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
}

async function execute(connectionString: string, texts: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    for (const text of texts) await client.query(text);
  } finally {
    await client.end();
  }
}

let databases = 0;

async function newPostgres(): Promise<string> {
  const name = `import_${++databases}`;
  await execute(server.url, [`CREATE DATABASE ${name}`]);
  return server.url.replace(/[^/]*$/, name);
}

/** Creates a source with the fixture of the tests and many rows. Returns `--from`. */
const CREATE: Readonly<Record<SourceName, () => Promise<string>>> = {
  async lnbits() {
    const file = join(folder, 'database.sqlite3');
    writeFileSync(file, gunzipSync(readFileSync(join(FIXTURES, 'fixtures', 'lnbits-1.6.2.sqlite3.gz'))));
    const database = new DatabaseSync(file);
    database.exec(lnbitsRows(rows));
    database.close();
    return file;
  },
  async lndhub() {
    const url = await newPostgres();
    await execute(url, [readFileSync(join(FIXTURES, 'lndhub', 'lndhub.sql'), 'utf8')]);
    await execute(url, [...lndhubRows(rows), 'ANALYZE']);
    return url;
  },
  async lnpay() {
    const text = readFileSync(join(FIXTURES, 'lnpay', 'lnpay.sql'), 'utf8');
    const end = text.lastIndexOf('-- Dump completed');
    const file = join(folder, 'lnpay.sql');
    const parts = function* () {
      yield text.slice(0, end);
      yield* lnpayRows(rows);
      yield text.slice(end);
    };
    await pipeline(Readable.from(parts()), createWriteStream(file));
    return file;
  },
  async albyhub() {
    const file = join(folder, 'nwc.db');
    writeFileSync(file, gunzipSync(readFileSync(join(FIXTURES, 'albyhub', 'nwc.db.gz'))));
    const database = new DatabaseSync(file);
    database.exec(albyhubRows(rows));
    database.close();
    return file;
  },
};

/** Creates a ledger that is bound to a node, as the first start of the service does. Returns the settings of the commands. */
async function newLedger(dialect: string): Promise<Record<string, string>> {
  const dataDir = mkdtempSync(join(folder, 'data-'));
  const url = dialect === 'sqlite' ? `sqlite:${join(dataDir, 'satchel.db')}` : await newPostgres();
  const settings = { DATA_DIR: dataDir, DATABASE_URL: url, LIGHTNING_URL, LOG_LEVEL: 'silent' };
  await (await startSatchel(readConfig({ ...settings, PORT: '0', PROOF_INTERVAL_SECONDS: '0' }))).close();
  return settings;
}

/** Returns the largest resident memory of a process so far, in bytes; undefined on other systems than Linux, and after its end. */
function peakBytes({ pid }: ChildProcess): number | undefined {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
  } catch {
    return undefined;
  }
}

async function timed(what: string, command: readonly string[], settings: Record<string, string>): Promise<string> {
  const startMs = performance.now();
  const child = spawn(process.execPath, [PROGRAM, ...command], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let [peak, output] = [0, ''];
  child.stdout.on('data', (text) => (output += text));
  const timer = setInterval(() => (peak = peakBytes(child) || peak), 100);
  const [code] = await once(child, 'close');
  clearInterval(timer);
  if (code !== 0) throw new Error(`${what} ended with exit code ${code}: ${output.slice(0, 2000)}`);
  print(`${what}: ${((performance.now() - startMs) / 60_000).toFixed(2)} minutes, ${Math.round(peak / 2 ** 20)} MiB`);
  return output;
}

try {
  for (const source of SOURCE_NAMES.filter((name) => values.source.includes(name))) {
    const from = await CREATE[source]();
    print(`${source} has ${rows.toLocaleString('en')} rows`);
    for (const dialect of DIALECTS.filter((name) => values.database.includes(name))) {
      const settings = await newLedger(dialect);
      const command = ['import', source, '--from', from, '--negative', 'zero-and-report', '--json'];
      const what = `${source} to ${DATABASE_NAMES[dialect]}`;
      const { plan } = JSON.parse(await timed(`${what}, dry run`, command, settings));
      await timed(`${what}, import`, [...command, '--plan', plan, '--accept-shortfall', 'a measurement'], settings);
    }
  }
} finally {
  await server.stop();
}
