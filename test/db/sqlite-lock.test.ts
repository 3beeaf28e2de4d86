import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { silentLog } from '../support/ledger.ts';

describe('the lock of a SQLite file', () => {
  const root = mkdtempSync(join(tmpdir(), 'satchel-lock-'));
  const opened: Database[] = [];
  let folders = 0;
  afterAll(async () => {
    for (const database of opened) await database.close();
    rmSync(root, { recursive: true, force: true });
  });

  async function open(path: string, readOnly = false): Promise<Database> {
    const database = await openDatabase(`sqlite:${path}`, { log: silentLog, readOnly });
    opened.push(database);
    return database;
  }

  function newFolder(): string {
    folders += 1;
    const folder = join(root, String(folders));
    mkdirSync(folder);
    return folder;
  }

  it.each([
    ['a symbolic link to the file', (folder: string) => symlinkSync(join(folder, 'satchel.db'), join(folder, 'link.db')), 'link.db'],
    ['a symbolic link to its folder', (folder: string) => symlinkSync('.', join(folder, 'link')), 'link/satchel.db'],
    ['a path with ..', (folder: string) => mkdirSync(join(folder, 'sub')), 'sub/../satchel.db'],
  ])('B3: refuses a second writer through %s', async (_name, prepare, other) => {
    const folder = newFolder();
    await open(join(folder, 'satchel.db'));
    prepare(folder);
    await expect(open(`${folder}/${other}`)).rejects.toThrow('Another Satchel is using');
  });

  it('refuses the file itself while a writer has opened it through a symbolic link that led nowhere', async () => {
    const folder = newFolder();
    symlinkSync(join(folder, 'satchel.db'), join(folder, 'link.db'));
    await open(join(folder, 'link.db'));
    await expect(open(join(folder, 'satchel.db'))).rejects.toThrow('Another Satchel is using');
  });

  it.each([false, true])('refuses a file with a hard link: SQLite keeps a separate log for each name (read only: %s)', async (readOnly) => {
    const folder = newFolder();
    await (await open(join(folder, 'satchel.db'))).close();
    linkSync(join(folder, 'satchel.db'), join(folder, 'hard.db'));
    await expect(open(join(folder, 'hard.db'), readOnly)).rejects.toThrow('has 2 names (hard links)');
  });
});
