import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { beginQuarantine, endQuarantine, readQuarantine } from '../../src/core/quarantine/quarantine.ts';
import { type RestoreOptions, readIdentities, restoreBackup } from '../../src/features/backup/restore.ts';
import { restoreToPostgres } from '../../src/features/backup/restore-postgres.ts';
import { sourceOf } from '../../src/features/backup/source.ts';
import { type BackupOptions, type TakenBackup, takeBackup } from '../../src/features/backup/take-backup.ts';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import type { TestWallet } from '../support/client.ts';
import { freshUrls, problemsOf, silentLog } from '../support/ledger.ts';

const SECRET_KEY = Buffer.alloc(32, 7);

const KEEP = { hours: 24, days: 14, months: 12 };

const folders: string[] = [];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-backup-'));
  folders.push(folder);
  return folder;
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

async function opened<T>(url: string, work: (database: Database) => Promise<T>, readOnly = true): Promise<T> {
  const database = await openDatabase(url, readOnly ? { readOnly, log: silentLog } : { withoutLock: true, log: silentLog });
  return work(database).finally(() => database.close());
}

/** Backs up the database of a running service. */
async function backUp(url: string, options: Partial<BackupOptions> = {}): Promise<TakenBackup> {
  return opened(url, async (database) => {
    const source = await sourceOf(url, { database, log: silentLog, isBackground: true });
    const common = {
      recipients: [],
      keep: KEEP,
      secretKey: SECRET_KEY,
      version: '0.1.0',
      commit: null,
      clock: systemClock,
      log: silentLog,
      progress: () => {},
    };
    const folder = newFolder();
    return takeBackup({ ...common, source, folder, workFolder: options.folder ?? folder, ...options });
  });
}

const COMMON = { clock: systemClock, log: silentLog, progress: () => {} };

/** Restores a backup into a new SQLite file. @returns its path */
async function restored(
  manifest: string,
  identities: readonly string[] = [],
  database = join(newFolder(), 'satchel.db'),
  origin: Partial<RestoreOptions> = { secretKey: SECRET_KEY },
): Promise<string> {
  await restoreBackup({ ...COMMON, secretKey: undefined, manifest, database, identities, ...origin });
  return database;
}

const archiveOf = ({ path, manifest }: TakenBackup) => join(path, '..', manifest.file);

/** Returns everything in the tables of customers and money, as text. */
async function contents(url: string): Promise<Record<string, string>> {
  const tables = {
    ledger_transfer: 'position',
    wallet: 'id',
    wallet_transaction: 'id',
    event: 'position',
    invoice: 'id',
    payment: 'id',
    access_key: 'id',
  };
  return opened(url, async (database) => {
    const all = Object.entries(tables).map(async ([table, key]) => {
      // The columns in the order of their names: a migration may have added some later.
      const rows = await database.all(statement(`test_${table}`, `SELECT * FROM ${table} ORDER BY ${key}`));
      return [
        table,
        JSON.stringify(
          rows.map((row) =>
            Object.entries(row)
              .map(([name, value]) => [name, value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value])
              .sort(),
          ),
        ),
      ];
    });
    return Object.fromEntries(await Promise.all(all));
  });
}

onFakeNode('a backup', (app, dialect) => {
  const { client, net } = app;
  const postgresUrls = freshUrls('postgres');
  let [rich, poor] = [] as TestWallet[];

  beforeAll(async () => {
    rich = await client.wallet(100_000);
    poor = await client.wallet(0);
    const { paymentRequest } = net.outside.invoice({ amountMsat: 5_000 });
    await client.post(`/v1/wallet/${rich.id}/withdraw`, { payment_request: paymentRequest });
    await client.post(`/v1/wallet/${poor.id}/invoice`, { num_satoshis: 7 });
  });
  const transfer = () => client.post(`/v1/wallet/${rich?.id}/transfer`, { dest_wallet_id: poor?.id, num_satoshis: 1 });

  it('contains every row of customers and money, unchanged', async () => {
    const taken = await backUp(app.databaseUrl);
    expect(await contents(`sqlite:${await restored(taken.path)}`)).toEqual(await contents(app.databaseUrl));
  });

  it('can be restored into an empty PostgreSQL database, which then sends nothing', async () => {
    const taken = await backUp(app.databaseUrl);
    const url = await postgresUrls();
    const restore = () =>
      restoreToPostgres({ ...COMMON, manifest: taken.path, identities: [], secretKey: SECRET_KEY, url, workFolder: newFolder() });
    await restore();
    expect(await contents(url)).toEqual(await contents(app.databaseUrl));
    expect(await opened(url, problemsOf)).toEqual([]);
    expect(await opened(url, readQuarantine)).toMatchObject({ backupCreatedAt: taken.manifest.created_at });
    await expect(restore()).rejects.toThrow('The new database is not empty');
  });

  it('is the state of one moment, and clean, while transfers go on', async () => {
    let isDone = false;
    const transfers = (async () => {
      let count = 0;
      for (; !isDone; count++) await transfer();
      return count;
    })();
    const { path, manifest } = await backUp(app.databaseUrl).finally(() => {
      isDone = true;
    });
    expect(await transfers).toBeGreaterThan(0);
    const file = `sqlite:${await restored(path)}`;
    expect(await opened(file, problemsOf)).toEqual([]);
    expect(await opened(file, (database) => database.all(statement('test_n', 'SELECT count(*) AS n FROM ledger_transfer')))).toEqual([
      { n: manifest.transfers },
    ]);
  });

  it('can be read only with an identity of its recipients', async () => {
    const [own, foreign] = [await generateX25519Identity(), await generateX25519Identity()];
    const taken = await backUp(app.databaseUrl, { recipients: [await identityToRecipient(own)] });
    expect(readFileSync(archiveOf(taken)).subarray(0, 21).toString()).toBe('age-encryption.org/v1');
    const target = join(newFolder(), 'satchel.db');
    await expect(restored(taken.path, [], target)).rejects.toThrow('--identity-file');
    await expect(restored(taken.path, [foreign], target)).rejects.toThrow('No identity in the file decrypts this backup');
    expect(readdirSync(join(target, '..'))).toEqual(['satchel.db.lock']);
    const file = join(newFolder(), 'key.txt');
    writeFileSync(file, `# created: today\n${own}\n`);
    expect(await opened(`sqlite:${await restored(taken.path, await readIdentities(file), target)}`, problemsOf)).toEqual([]);
  });

  it('rejects a recipient that is no key, before it copies anything', async () => {
    const folder = newFolder();
    await expect(backUp(app.databaseUrl, { folder, recipients: ['age1nonsense'] })).rejects.toThrow(
      'BACKUP_RECIPIENTS contains age1nonsense',
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  describe('that was damaged', () => {
    const damages: [what: string, damage: (taken: TakenBackup) => void, message: string][] = [
      ['truncated', (taken) => truncateSync(archiveOf(taken), taken.manifest.bytes - 1), 'it is truncated or was changed'],
      ['changed in one byte', flipByte, 'was changed after it was written'],
      ['without its file', (taken) => rmSync(archiveOf(taken)), 'cannot be read (ENOENT)'],
      ['with a manifest that is cut', ({ path }) => truncateSync(path, 20), 'is no manifest of a backup'],
      ['with a manifest of a newer version', (taken) => writeManifest(taken, { format: 2 }), 'written by a newer version'],
      ['with a schema of another version', (taken) => writeManifest(taken, { schema: ['0'.repeat(64)] }), 'can neither use nor upgrade'],
      [
        'with a manifest that names other balances',
        (taken) => writeManifest(taken, { wallets: 1 }),
        'wallets of the restored database differs',
      ],
      [
        'with a manifest that names another size',
        (taken) => writeManifest(taken, { database_bytes: 5 }),
        'contains more than its manifest says',
      ],
    ];
    it.each(damages)('(%s) is rejected with the reason, and nothing is restored', async (_what, damage, message) => {
      const taken = await backUp(app.databaseUrl);
      damage(taken);
      const target = join(newFolder(), 'satchel.db');
      await expect(restored(taken.path, [], target, { hasUncheckedOrigin: true })).rejects.toThrow(message);
      expect(readdirSync(join(target, '..')).filter((name) => name !== 'satchel.db.lock')).toEqual([]);
    });
  });

  it('D1: is rejected unless the service wrote it, by its SECRET_KEY, or the operator waives that check', async () => {
    const forger = Buffer.alloc(32, 8);
    const other = 'No service with this secret key wrote the backup';
    const target = join(newFolder(), 'satchel.db');
    const rejected = async (path: string, secretKey: Uint8Array | undefined, message: string) => {
      await expect(restored(path, [], target, { secretKey })).rejects.toThrow(message);
      expect(existsSync(join(target, '..', 'satchel.db'))).toBe(false);
    };
    await rejected((await backUp(app.databaseUrl, { secretKey: forger })).path, SECRET_KEY, other);
    await rejected((await backUp(app.databaseUrl, { secretKey: undefined })).path, SECRET_KEY, 'has no authentication code');
    const [taken, older] = [await backUp(app.databaseUrl), await backUp(app.databaseUrl)];
    await rejected(taken.path, undefined, 'Put it back first (SECRET_KEY');
    for (const changes of [{ created_at: 1 }, { sha256: '0'.repeat(64) }, { file: older.manifest.file }, { more: 1 }]) {
      writeManifest(taken, changes);
      await rejected(taken.path, SECRET_KEY, other);
    }
    writeFileSync(taken.path, JSON.stringify(Object.fromEntries(Object.entries(taken.manifest).reverse())));
    await restored(taken.path);
    const { path } = await backUp(app.databaseUrl, { secretKey: forger });
    expect(await opened(`sqlite:${await restored(path, [], target, { hasUncheckedOrigin: true })}`, problemsOf)).toEqual([]);
  });

  it('is never restored over a database, or over the log of one', async () => {
    const taken = await backUp(app.databaseUrl);
    for (const name of ['satchel.db', 'satchel.db-wal']) {
      const target = join(newFolder(), 'satchel.db');
      writeFileSync(join(target, '..', name), 'money');
      await expect(restored(taken.path, [], target)).rejects.toThrow('a restore replaces nothing');
      expect(readFileSync(join(target, '..', name), 'utf8')).toBe('money');
    }
  });

  it('leaves nothing behind when it fails, and the next one succeeds', async () => {
    const folder = newFolder();
    const copy = async (to: string) => {
      writeFileSync(to, 'half');
      throw new Error('the copy failed');
    };
    await expect(backUp(app.databaseUrl, { folder, source: { bytes: 1, copy } })).rejects.toThrow('the copy failed');
    expect(readdirSync(folder)).toEqual(['.backup.lock']);
    await backUp(app.databaseUrl, { folder });
    expect(readdirSync(folder)).toHaveLength(3);
  });

  it('is not written where the disk has too little space, or while another one is written', async () => {
    const folder = newFolder();
    await expect(backUp(app.databaseUrl, { folder, source: { bytes: 1e18, copy: async () => {} } })).rejects.toThrow('Free space');
    let second: Promise<unknown> = Promise.resolve();
    const copy = async () => {
      second = expect(backUp(app.databaseUrl, { folder })).rejects.toThrow('Another backup is being written');
      await second;
      throw new Error('enough');
    };
    await expect(backUp(app.databaseUrl, { folder, source: { bytes: 1, copy } })).rejects.toThrow('enough');
  });

  it('replaces older ones of the same ledger beyond BACKUP_KEEP, and no others', async () => {
    const folder = newFolder();
    let nowMs = Date.now();
    const clock = { nowMs: () => nowMs };
    const keep = { hours: 2, days: 0, months: 0 };
    const taken: TakenBackup[] = [];
    for (let hour = 0; hour < 3; hour++, nowMs += 3_600_000) taken.push(await backUp(app.databaseUrl, { folder, clock, keep }));
    expect(taken.map(({ deleted }) => deleted)).toEqual([0, 0, 1]);
    writeManifest(taken[1] as TakenBackup, { ledger_id: 'lnd_another' });
    await backUp(app.databaseUrl, { folder, clock, keep });
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
    expect(names).toHaveLength(3);
    expect(names.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).ledger_id)).toContain('lnd_another');
  });

  it('leaves the backups from before a restore alone', async () => {
    const folder = newFolder();
    const keep = { hours: 1, days: 0, months: 0 };
    let nowMs = Math.floor(Date.now() / 3_600_000) * 3_600_000;
    const clock = { nowMs: () => (nowMs += 1000) };
    const before = await backUp(app.databaseUrl, { folder, keep, clock });
    const url = `sqlite:${await restored(before.path)}`;
    expect((await backUp(url, { folder, keep, clock })).deleted).toBe(0);
    await opened(url, (database) => endQuarantine(database, 'a test', systemClock), false);
    for (const deleted of [0, 1]) expect((await backUp(url, { folder, keep, clock })).deleted).toBe(deleted);
    expect(readdirSync(folder)).toContain(before.manifest.file);
  });

  it('of a restored ledger that was not accepted counts from the time of the first backup', async () => {
    let nowMs = Date.now() - 3_600_000;
    const clock = { nowMs: () => (nowMs += 60_000) };
    const first = await backUp(app.databaseUrl, { clock });
    const second = await backUp(`sqlite:${await restored(first.path)}`, { clock });
    expect(second.manifest.created_at).toBeGreaterThan(first.manifest.created_at);
    const url = `sqlite:${await restored(second.path)}`;
    expect(await opened(url, readQuarantine)).toMatchObject({ backupCreatedAt: first.manifest.created_at });
  });

  it('is in quarantine even when it was unpacked without satchel, and its pending payments are never sent again', async () => {
    const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 2_000, hold: true });
    const body = { payment_request: paymentRequest };
    await client.request('POST', `/v1/wallet/${rich?.id}/withdraw`, {
      key: client.secretKey,
      json: body,
      headers: { prefer: 'respond-async' },
    });
    // As if the node had not confirmed it yet.
    await app.execute('UPDATE payment SET at_node = 0 WHERE payment_hash = $1', paymentHash);
    const file = join(newFolder(), 'satchel.db');
    writeFileSync(file, gunzipSync(readFileSync(archiveOf(await backUp(app.databaseUrl)))));
    await opened(`sqlite:${file}`, async (database) => {
      expect(await readQuarantine(database)).toMatchObject({ restoredAt: null });
      const pending = statement<{ at_node: number }>('test_pending', "SELECT at_node FROM payment WHERE state = 'pending'");
      expect(await database.all(pending)).toEqual([{ at_node: 1 }]);
    });
    await client.decideHold(paymentHash, 'cancel');
  });

  it('is restored although a service starts meanwhile, which then is rejected and creates nothing', async () => {
    const taken = await backUp(app.databaseUrl);
    const database = join(newFolder(), 'satchel.db');
    let started: Promise<unknown> | undefined;
    const progress = () => {
      started ??= openDatabase(`sqlite:${database}`, { log: silentLog });
      started.catch(() => undefined);
    };
    await restoreBackup({
      manifest: taken.path,
      database,
      identities: [],
      secretKey: SECRET_KEY,
      clock: systemClock,
      log: silentLog,
      progress,
    });
    await expect(started).rejects.toThrow('Another Satchel is using');
    expect(await opened(`sqlite:${database}`, problemsOf)).toEqual([]);
  });

  it('is not forgotten when a restore was interrupted: a service that starts then is rejected', async () => {
    const database = join(newFolder(), 'satchel.db');
    writeFileSync(`${database}.restore`, 'half');
    await expect(openDatabase(`sqlite:${database}`, { log: silentLog })).rejects.toThrow('was interrupted. Run it again');
    await restored((await backUp(app.databaseUrl)).path, [], database);
    expect(await opened(`sqlite:${database}`, problemsOf)).toEqual([]);
  });

  it('restores a service that receives and sends nothing until its operator accepts', async () => {
    const wallet = await client.wallet(10);
    const other = await client.wallet(0);
    const { path } = await backUp(app.databaseUrl);
    // Spent after the backup.
    await client.post(`/v1/wallet/${wallet.id}/transfer`, { dest_wallet_id: other.id, num_satoshis: 10 });
    await app.restart(async () => {
      if (dialect === 'sqlite') await replaceFile(app, path);
      else
        await opened(
          app.databaseUrl,
          (database) => database.transaction((tx) => beginQuarantine(tx, { backupCreatedAt: 1, restoredAt: 2 })),
          false,
        );
    });
    const { paymentRequest } = net.outside.invoice({ amountMsat: 1_000 });
    for (const [route, body] of [
      ['transfer', { dest_wallet_id: other.id, num_satoshis: 1 }],
      ['withdraw', { payment_request: paymentRequest }],
      ['keysend', { dest_pubkey: '02'.padEnd(65, '0').concat('2'), num_satoshis: 1 }],
    ] as const)
      expect(await client.request('POST', `/v1/wallet/${rich?.id}/${route}`, { key: client.secretKey, json: body })).toMatchObject({
        status: 503,
        body: { type: 'restored' },
      });
    const { payment_request: request } = await client.post(`/v1/wallet/${other.id}/invoice`, { num_satoshis: 3 });
    await net.outside.pay({ paymentRequest: request });
    await vi.waitUntil(async () => (await client.get(`/v1/wallet/${other.id}`)).balance >= 3, { timeout: 150_000, interval: 20 });
    await vi.waitUntil(async () => (await app.openAlerts()).some(({ kind }) => kind === 'restored'), { timeout: 150_000, interval: 20 });

    await opened(app.databaseUrl, (database) => endQuarantine(database, 'a test', systemClock), false);
    await vi.waitUntil(async () => transfer().catch(() => undefined), { timeout: 150_000, interval: 50 });
    expect(await app.problems()).toEqual([]);
  });
});

/** Restores a backup over the database of a stopped service, as an operator does: after moving the old files away. */
async function replaceFile({ databaseUrl }: FakeNodeApp, manifest: string): Promise<void> {
  const file = databaseUrl.slice('sqlite:'.length);
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  await restored(manifest, [], file);
}

function flipByte(taken: TakenBackup): void {
  const bytes = readFileSync(archiveOf(taken));
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  writeFileSync(archiveOf(taken), bytes);
}

function writeManifest({ path, manifest }: TakenBackup, changes: object): void {
  writeFileSync(path, JSON.stringify({ ...manifest, ...changes }));
}
