import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { postgresCopies } from '../postgres-copies.ts';

/** The isolated apps of the fixture, with the balances that Alby Hub's own query returned. */
export const HUB_BALANCES: readonly { readonly id: number; readonly name: string; readonly balance_msat: number }[] = JSON.parse(
  readFileSync(join(import.meta.dirname, 'balances.json'), 'utf8'),
);

let folder: string | undefined;
let files = 0;

/** Copies the SQLite file of the hub, changed by some SQL that PostgreSQL can read, too. Returns its path. */
export function hubFile(...changes: readonly string[]): string {
  if (folder === undefined) {
    const created = mkdtempSync(join(tmpdir(), 'satchel-albyhub-'));
    process.once('exit', () => rmSync(created, { recursive: true, force: true }));
    folder = created;
  }
  const file = join(folder, `${++files}.db`);
  writeFileSync(file, gunzipSync(readFileSync(join(import.meta.dirname, 'nwc.sqlite3.gz'))));
  const database = new DatabaseSync(file);
  for (const one of changes) database.exec(one);
  database.close();
  return file;
}

/** The functions that create a changed copy of the hub's database, and return `--from`. */
export const HUB_COPIES = {
  sqlite: async (...changes: readonly string[]) => hubFile(...changes),
  postgres: postgresCopies(join(import.meta.dirname, 'hub.sql')),
} as const;
