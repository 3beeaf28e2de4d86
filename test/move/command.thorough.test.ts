import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { migrate } from '../../src/core/db/migrate.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { nameOf } from '../../src/features/move/move.ts';
import { freshUrls, MIGRATIONS, migratedUrls, silentLog } from '../support/ledger.ts';
import { runSatchel } from '../support/process.ts';
import { hashesOf, move, opened } from './contents.ts';

const folder = mkdtempSync(join(tmpdir(), 'satchel-move-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Returns a URL with a password that is easy to find. */
function withPassword(url: string): string {
  const own = new URL(url);
  own.password = 'hunter2-secret';
  return own.href;
}

describe('satchel move', () => {
  const [sqlite, postgres, target, migratedPostgres] = [
    migratedUrls('sqlite'),
    freshUrls('postgres'),
    freshUrls('sqlite'),
    migratedUrls('postgres'),
  ];

  it('takes a URL with a password from a setting or a file, and never shows the password', async () => {
    const [from, to] = [await sqlite(), await postgres()];
    const settings = { DATA_DIR: folder, DATABASE_URL: from };
    const refused = await runSatchel(['move', '--to', withPassword(to)], settings);
    expect(refused).toMatchObject({ code: 2, output: expect.stringContaining('--to must not contain a password') });
    expect(refused.output).not.toContain('hunter2');
    const file = join(folder, 'target');
    writeFileSync(file, to);
    const unconfirmed = await runSatchel(['move', '--json'], { ...settings, TARGET_DATABASE_URL_FILE: file });
    expect(unconfirmed).toMatchObject({ code: 2, output: expect.stringContaining('add --yes') });
    expect(unconfirmed.output).not.toContain('postgres:postgres');
    const moved = await runSatchel(['move', '--json', '--yes'], { ...settings, TARGET_DATABASE_URL_FILE: file });
    expect(moved).toMatchObject({ code: 0 });
    expect(JSON.parse(moved.stdout)).toEqual({ to: nameOf(to), rows: expect.any(Number), tables: expect.any(Number) });
    expect(moved.output).not.toContain('postgres:postgres');
    expect(await hashesOf(to)).toEqual(await hashesOf(from));
  });

  it('leaves a source that can be verified and backed up, and whose backup can be restored', async () => {
    const from = await migratedPostgres();
    await move(from, await target());
    const settings = { DATA_DIR: folder, DATABASE_URL: from, BACKUP_DIR: join(folder, 'backups') };
    expect(await runSatchel(['verify'], settings)).toMatchObject({ code: 0 });
    const taken = await runSatchel(['backup', '--json'], settings);
    expect(taken).toMatchObject({ code: 0 });
    const restored = `sqlite:${join(folder, 'restored.db')}`;
    const manifest = JSON.parse(taken.stdout).manifest;
    expect(await runSatchel(['restore', 'run', manifest, '--unchecked-origin'], { ...settings, DATABASE_URL: restored })).toMatchObject({
      code: 0,
    });
    const database = await openDatabase(restored, { log: silentLog });
    await migrate(database, MIGRATIONS).finally(() => database.close());
  });

  it('moves a PostgreSQL database whose instance has crashed', async () => {
    const [from, to] = [await migratedPostgres(), await target()];
    const crashed = statement(
      'test_crashed',
      "INSERT INTO instance (id, host, pid, started_at, seen_at, heartbeat) VALUES ('ins_1', 'gone', 1, 1, 1, 7)",
    );
    await opened(from, (database) => database.transaction((tx) => tx.run(crashed)), false);
    await move(from, to);
    expect(await hashesOf(to)).toEqual(await hashesOf(from));
  });

  it.skipIf(spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status !== 0)(
    'names a full disk, leaves the source usable, and continues when there is space',
    async () => {
      const from = await migratedPostgres();
      const fill = statement(
        'test_fill',
        "INSERT INTO service_fact (name, value) SELECT 'filler ' || n, repeat(md5(n::text), 100) FROM generate_series(1, 3000) AS n",
      );
      await opened(from, (database) => database.transaction((tx) => tx.run(fill)), false);
      const disk = join(folder, 'disk');
      mkdirSync(disk);
      const program = `'${process.execPath}' src/cli/satchel.ts move --yes --to sqlite:'${disk}/new.db'`;
      const script = `mount -t tmpfs -o size=4m tmpfs '${disk}'; ${program}; echo "first: $?"
        mount -o remount,size=200m '${disk}'; ${program}; echo "second: $?"; cp '${disk}'/new.db* '${folder}'`;
      const settings = { DATA_DIR: folder, DATABASE_URL: from };
      const { stdout, stderr } = spawnSync('unshare', ['-rm', 'sh', '-c', script], {
        env: { ...process.env, ...settings },
        encoding: 'utf8',
      });
      expect(stderr).toContain('The disk of the new database is full. Free space there and repeat the command');
      expect(stdout).toMatch(/first: 2\n[\s\S]*second: 0\n/);
      expect(await hashesOf(`sqlite:${join(folder, 'new.db')}`)).toEqual(await hashesOf(from));
    },
  );
});
