import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { fingerprintOf, openSecretKey, requireSecretKey } from '../../src/secret-key.ts';
import { onBothDatabases } from '../support/ledger.ts';

const ONE = 'ab'.repeat(32);
const OTHER = 'cd'.repeat(32);

const fingerprint = (hex: string) => fingerprintOf(Buffer.from(hex, 'hex'));

onBothDatabases('the secret key', (open) => {
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  function settings(more: Record<string, string> = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'satchel-secret-key-'));
    folders.push(folder);
    return readConfig({ DATA_DIR: folder, ...more });
  }

  it('D2: of a database is the one of its first start, and another one is rejected with the fingerprints and the remedy', async () => {
    const database = await open();
    const key = await openSecretKey(settings({ SECRET_KEY: ONE }), database);
    expect(await openSecretKey(settings({ SECRET_KEY: ONE }), database)).toEqual(key);
    const rejected = openSecretKey(settings({ SECRET_KEY: OTHER }), database);
    await expect(rejected).rejects.toThrow(
      `The secret key (fingerprint ${fingerprint(OTHER)}) is not that of the database. Set SECRET_KEY to the key of this database ` +
        `(fingerprint ${fingerprint(ONE)}), or restore its file DATA_DIR/secret-key. ` +
        `If it is lost, start the service with REPLACE_SECRET_KEY=${fingerprint(ONE)}.`,
    );
    await expect(requireSecretKey(database, Buffer.from(OTHER, 'hex'))).rejects.toThrow('is not that of the database');
  });

  it('is not created again for a database that had one', async () => {
    const database = await open();
    const first = settings();
    const key = await openSecretKey(first, database);
    expect(await openSecretKey(first, database)).toEqual(key);
    const moved = settings();
    await expect(openSecretKey(moved, database)).rejects.toThrow(/secret-key does not exist, and SECRET_KEY is not set\./);
    expect(readdirSync(moved.dataDir)).toEqual([]);
  });

  it('that was lost is replaced only by the start that names its fingerprint', async () => {
    const database = await open();
    await openSecretKey(settings({ SECRET_KEY: ONE }), database);
    const replaced = { SECRET_KEY: OTHER, REPLACE_SECRET_KEY: fingerprint(OTHER) };
    await expect(openSecretKey(settings(replaced), database)).rejects.toThrow('is not that of the database');
    const right = settings({ REPLACE_SECRET_KEY: fingerprint(ONE) });
    const key = await openSecretKey(right, database);
    expect(existsSync(join(right.dataDir, 'secret-key'))).toBe(true);
    // The setting may stay.
    expect(await openSecretKey(right, database)).toEqual(key);
    await expect(openSecretKey(settings({ SECRET_KEY: ONE }), database)).rejects.toThrow('is not that of the database');
  });

  it('is one, even if two instances with different keys start at the same time', async () => {
    const database = await open();
    const started = await Promise.allSettled([ONE, OTHER].map((key) => openSecretKey(settings({ SECRET_KEY: key }), database)));
    expect(started.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});
