import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Database, Dialect } from '../src/core/db/database.ts';
import { MIGRATIONS, migrate } from '../src/core/db/migrate.ts';
import { openDatabase } from '../src/core/db/open.ts';
import { startPostgres } from '../test/support/global-postgres.ts';

/** The sizes of the measurements. */
export interface Sizes {
  readonly rounds: number;
  readonly seconds: number;
  readonly wallets: number;
  readonly transfers: number;
  readonly listed: number;
  /** Transfers of other accounts. */
  readonly others: number;
  readonly tpcbScale: number;
  readonly transfersUnderLoad: number;
}

const NORMAL: Sizes = {
  rounds: 5,
  seconds: 0.8,
  wallets: 100_000,
  transfers: 200_000,
  listed: 100_000,
  others: 1_000_000,
  tpcbScale: 50,
  transfersUnderLoad: 1_000_000,
};
const QUICK: Sizes = {
  rounds: 2,
  seconds: 0.4,
  wallets: 10_000,
  transfers: 20_000,
  listed: 10_000,
  others: 20_000,
  tpcbScale: 5,
  transfersUnderLoad: 100_000,
};
const LARGE: Partial<Sizes> = { wallets: 1_000_000, transfers: 5_000_000 };

export const DIALECTS = ['sqlite', 'postgres'] as const satisfies readonly Dialect[];
export const DATABASE_NAMES: Readonly<Record<Dialect, string>> = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

export const silentLog = { info() {}, warn() {}, error() {} };

/** A new, migrated database. Disposal deletes it. */
export interface TemporaryDatabase extends AsyncDisposable {
  readonly database: Database;
  readonly url: string;
}

/** One run of the benchmarks: its sizes, and its temporary files, databases and PostgreSQL server. */
export class Run {
  readonly sizes: Sizes;
  readonly #root = mkdtempSync(join(tmpdir(), 'satchel-bench-'));
  #postgres: ReturnType<typeof startPostgres> | undefined;
  #row = '';

  constructor({ quick, large }: { quick: boolean; large: boolean }) {
    // An exit handler, because on an interrupt the PostgreSQL package stops its server and then ends the process itself.
    process.on('exit', () => rmSync(this.#root, { recursive: true, force: true }));
    this.sizes = { ...(quick ? QUICK : NORMAL), ...(large ? LARGE : {}) };
  }

  begin(row: string): void {
    this.#row = row;
    this.progress('setting up');
  }

  /** Prints progress to a terminal. Prints nothing to a file or a pipe. */
  progress(text: string): void {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${this.#row === '' ? '' : `${this.#row}: ${text}`}`);
  }

  end(): void {
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  }

  folder(): string {
    return mkdtempSync(join(this.#root, 'row-'));
  }

  /** Starts this run's PostgreSQL server, with durable defaults, on the first call. @returns the URL of a database on it. */
  async postgres(database: string): Promise<string> {
    this.#postgres ??= startPostgres({ flags: [], initFlags: [] });
    const url = new URL((await this.#postgres).url);
    url.pathname = `/${database}`;
    return url.href;
  }

  async onPostgres(sql: string): Promise<void> {
    const client = new pg.Client({ connectionString: await this.postgres('postgres') });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  }

  /** Returns the URL of an empty database, and a function that deletes it. */
  async emptyDatabase(dialect: Dialect): Promise<{ readonly url: string; remove(): Promise<void> }> {
    return dialect === 'sqlite' ? this.#newSqlite() : this.#newPostgres();
  }

  async database(dialect: Dialect): Promise<TemporaryDatabase> {
    const { url, remove } = await this.emptyDatabase(dialect);
    try {
      const database = await openDatabase(url, { log: silentLog });
      await migrate(database, MIGRATIONS);
      const dispose = async () => {
        await database.close();
        await remove();
      };
      return { database, url, [Symbol.asyncDispose]: dispose };
    } catch (error) {
      await remove();
      throw error;
    }
  }

  #newSqlite(): { url: string; remove: () => Promise<void> } {
    const folder = this.folder();
    return { url: `sqlite:${join(folder, 'satchel.db')}`, remove: async () => rmSync(folder, { recursive: true, force: true }) };
  }

  async #newPostgres(): Promise<{ url: string; remove: () => Promise<void> }> {
    const name = `bench_${randomBytes(6).toString('hex')}`;
    await this.onPostgres(`CREATE DATABASE ${name}`);
    return { url: await this.postgres(name), remove: () => this.onPostgres(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
  }

  /** Stops the PostgreSQL server if it runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
    await (await this.#postgres)?.stop();
  }
}
