import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as sql from './file.sql.ts';
import type { Change } from './network-state.ts';
import type { FakeState } from './tables.ts';

/** The file cannot be used. The message contains the remedy. */
export class FakeFileRefused extends Error {
  override readonly name = 'FakeFileRefused';
}

/** The persistent state of a fake node. A kill -9 of the service loses nothing, as with a real node in a process that keeps running. */
export interface FakeFile {
  readonly state: Partial<FakeState>;
  /** Writes all changes in one SQL transaction, before any response or event of the step leaves the network. */
  keep(changes: readonly Change[]): void;
  close(): void;
}

/** A short wait is enough: a killed process frees its lock at once. */
const LOCK_WAIT_MS = 200;

/** Opens `fake.db` in the directory, creates it if it is missing, and locks it until `close`. @throws FakeFileRefused */
export function openFakeFile(dataDir: string, seed: string): FakeFile {
  mkdirSync(dataDir, { recursive: true });
  const path = join(dataDir, 'fake.db');
  const db = new DatabaseSync(path, { timeout: LOCK_WAIT_MS });
  try {
    // NORMAL: committed data survives a crash of the process, but perhaps not a crash of the machine.
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE;');
    db.exec(sql.SCHEMA);
    db.exec('COMMIT');
  } catch (error) {
    db.close();
    throw new FakeFileRefused(`${path} cannot be opened (${(error as Error).message}): stop the other process, or choose another DATA_DIR`);
  }
  const owner = db.prepare(sql.OWN).get(seed)?.seed;
  if (owner !== seed) {
    db.close();
    throw new FakeFileRefused(`${path} was made with seed=${owner}: use that seed, or choose another DATA_DIR`);
  }
  return { state: readState(db), keep: keeper(db), close: () => db.isOpen && db.close() };
}

function readState(db: DatabaseSync): Partial<FakeState> {
  const state: Record<string, Record<string, unknown>> = {};
  for (const { name, key, row } of db.prepare(sql.READ).all()) {
    const rows = state[name as string] ?? {};
    state[name as string] = rows;
    rows[key as string] = JSON.parse(row as string);
  }
  return state as Partial<FakeState>;
}

function keeper(db: DatabaseSync): FakeFile['keep'] {
  const [put, remove] = [db.prepare(sql.PUT), db.prepare(sql.REMOVE)];
  return (changes) => {
    // A timer may still fire after `close`. Its change is dropped: the next process runs the timer again.
    if (!db.isOpen) return;
    db.exec('BEGIN');
    for (const { table, key, row } of changes) {
      if (row === undefined) remove.run(table, key);
      else put.run(table, key, JSON.stringify(row));
    }
    db.exec('COMMIT');
  };
}
