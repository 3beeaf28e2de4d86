import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tx } from '../../src/core/db/database.ts';
import { MIGRATIONS, migrate, readMigrations } from '../../src/core/db/migrate.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { systemClock, unixSeconds } from '../../src/core/kernel/clock.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import { SYSTEM_ACCOUNTS } from '../../src/core/ledger/accounts.ts';
import { NO_ENTRY } from '../../src/core/ledger/arithmetic.ts';
import { entryHash } from '../../src/core/ledger/chain.ts';
import { readQuarantine } from '../../src/core/quarantine/quarantine.ts';
import { writeArchive } from '../../src/features/backup/archive.ts';
import { checkDatabase, readAppliedSchema } from '../../src/features/backup/check-database.ts';
import type { Manifest } from '../../src/features/backup/manifest.ts';
import { markFile } from '../../src/features/backup/mark-file.ts';
import { originOf } from '../../src/features/backup/origin.ts';
import { checkBackup, restoreBackup } from '../../src/features/backup/restore.ts';
import { restoreToPostgres } from '../../src/features/backup/restore-postgres.ts';
import { freshUrls, problemsOf, silentLog } from '../support/ledger.ts';

const secretKey = Buffer.alloc(32, 7);
const COMMIT = 'c0ffee'.repeat(7).slice(0, 40);
const AMOUNT_MSAT = 70_001;

const root = mkdtempSync(join(tmpdir(), 'satchel-older-schema-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const known = await readMigrations(MIGRATIONS);
const order = { identities: [], secretKey, clock: systemClock, log: silentLog, progress: () => {} };

function newFolder(): string {
  return mkdtempSync(join(root, 'folder-'));
}

/** Returns a folder with the first migrations, and perhaps one of a later version. */
function migrationFolder(count: number, later?: string): string {
  const folder = newFolder();
  for (const { name } of known.slice(0, count)) copyFileSync(join(MIGRATIONS, name), join(folder, name));
  if (later !== undefined) writeFileSync(join(folder, '9999-later.sql'), later);
  return folder;
}

/** Adds an account and a transfer, with the columns that the first migration has: later ones of this version are unknown to an older one. */
async function addRows(tx: Tx): Promise<void> {
  await tx.run(statement('test_add_account', "INSERT INTO account (id, created_at) VALUES ('acc_1', 1)"));
  const [from, to] = [SYSTEM_ACCOUNTS.routingFees, SYSTEM_ACCOUNTS.node];
  const common = { transferId: newId(), entry: 1, createdAtMs: 1, type: null, lntx: null, memo: null, passThru: null };
  const hashOf = (account: number, counterpart: number, amountMsat: number) =>
    entryHash(NO_ENTRY, { ...common, account, counterpart, amountMsat, balanceMsat: amountMsat });
  const [fromHash, toHash] = [hashOf(from, to, -AMOUNT_MSAT), hashOf(to, from, AMOUNT_MSAT)];
  const insertTransfer = statement(
    'test_add_transfer',
    `INSERT INTO ledger_transfer (id, amount_msat, created_at_ms, from_account, from_entry, from_balance_msat, from_hash,
       to_account, to_entry, to_balance_msat, to_hash) VALUES ($1, $2, 1, $3, 1, $4, $5, $6, 1, $2, $7)`,
  );
  await tx.run(insertTransfer, common.transferId, AMOUNT_MSAT, from, -AMOUNT_MSAT, fromHash, to, toHash);
  const heads = fromHash.map((byte, index) => byte ^ (toHash[index] ?? 0));
  await tx.run(statement('test_set_heads', 'UPDATE ledger_checkpoint SET heads = $1'), heads);
}

/** Writes the backup that a version with these migrations writes. @returns the path of the manifest */
async function backupWith(migrations: string): Promise<string> {
  const folder = newFolder();
  const [file, copy] = [join(folder, 'satchel.db'), join(folder, 'copy.db')];
  const database = await openDatabase(`sqlite:${file}`, { log: silentLog });
  await migrate(database, migrations);
  await database.transaction(addRows);
  const schema = await readAppliedSchema(database);
  await database.close();
  const createdAt = unixSeconds(systemClock);
  await markFile(file, silentLog, () => ({ backupCreatedAt: createdAt, restoredAt: null }));
  // This version can check the contents only after it has migrated them.
  copyFileSync(file, copy);
  if (schema.length <= known.length) await migrateFile(copy);
  const contents = await checkDatabase(copy, silentLog, () => {});
  const name = 'satchel-20261124T010203Z-1a2b';
  const digests = await writeArchive(file, join(folder, `${name}.db.gz`), [], () => {});
  const program = { version: '0.2.0', commit: COMMIT };
  const described: Manifest = { format: 1, file: `${name}.db.gz`, created_at: createdAt, ...program, ...contents, schema, ...digests };
  const manifest = join(folder, `${name}.json`);
  writeFileSync(manifest, JSON.stringify({ ...described, mac: originOf(described, secretKey) }));
  return manifest;
}

/** Names other migrations in the manifest of a backup. */
function changeSchema(manifest: string, schema: readonly string[]): void {
  const { mac: _, ...described } = JSON.parse(readFileSync(manifest, 'utf8'));
  const changed = { ...described, schema };
  writeFileSync(manifest, JSON.stringify({ ...changed, mac: originOf(changed, secretKey) }));
}

async function migrateFile(path: string): Promise<void> {
  const database = await openDatabase(`sqlite:${path}`, { log: silentLog });
  await migrate(database, MIGRATIONS).finally(() => database.close());
}

/** Reads what a restored database must have. */
async function stateOf(url: string) {
  const database = await openDatabase(url, { log: silentLog, readOnly: true });
  try {
    return {
      schema: await readAppliedSchema(database),
      problems: await problemsOf(database),
      isQuarantined: (await readQuarantine(database)) !== undefined,
      accounts: await database.all(listAccounts),
      transfers: await database.all(listAmounts),
    };
  } finally {
    await database.close();
  }
}

const listAccounts = statement<{ id: string }>('test_list_accounts', 'SELECT id FROM account');
const listAmounts = statement<{ amount_msat: number }>('test_list_amounts', 'SELECT amount_msat FROM ledger_transfer');

const RESTORED = {
  schema: known.map(({ checksum }) => checksum),
  problems: [],
  isQuarantined: true,
  accounts: [{ id: 'acc_1' }],
  transfers: [{ amount_msat: AMOUNT_MSAT }],
};

describe('a backup of an older version', () => {
  const prefixes = known.map(({ name }, index) => ({ name, count: index + 1 }));

  it.each(prefixes)('is restored and upgraded when its last migration is $name', async ({ count }) => {
    const manifest = await backupWith(migrationFolder(count));
    const database = join(newFolder(), 'satchel.db');
    expect(await restoreBackup({ ...order, manifest, database })).toMatchObject({ transfers: 1, commit: COMMIT });
    expect(await stateOf(`sqlite:${database}`)).toEqual(RESTORED);
  });

  const urls = freshUrls('postgres');

  it.each([1, Math.ceil(known.length / 2), known.length - 1])(
    'is restored into PostgreSQL and upgraded when it has %i migrations',
    async (count) => {
      const [manifest, url] = [await backupWith(migrationFolder(count)), await urls()];
      await restoreToPostgres({ ...order, manifest, url, workFolder: newFolder() });
      expect(await stateOf(url)).toEqual(RESTORED);
    },
  );

  it('is refused when the file has other migrations than its manifest', async () => {
    const older = await backupWith(migrationFolder(1));
    changeSchema(older, RESTORED.schema.slice(0, 2));
    const folder = newFolder();
    await expect(restoreBackup({ ...order, manifest: older, database: join(folder, 'satchel.db') })).rejects.toThrow(
      'The schema of the restored database differs from the manifest',
    );
    expect(readdirSync(folder)).toEqual(['satchel.db.lock']);
  });
});

describe('a backup with migrations that this version does not have', () => {
  let newer: string;

  beforeAll(async () => {
    newer = await backupWith(migrationFolder(known.length, 'CREATE TABLE later (id TEXT PRIMARY KEY);'));
  });

  async function refusalOf(manifest: string): Promise<string> {
    const folder = join(newFolder(), 'data');
    mkdirSync(folder);
    const outcome = restoreBackup({ ...order, manifest, database: join(folder, 'satchel.db') });
    const message = await outcome.then(
      () => 'restored',
      (error: Error) => error.message,
    );
    expect(readdirSync(folder)).toEqual([]);
    return message;
  }

  it('is refused with the version and the commit that wrote it', async () => {
    expect(await refusalOf(newer)).toBe(
      `The backup was written by a newer version: Satchel 0.2.0 (commit ${COMMIT.slice(0, 12)}). Restore it with that version.`,
    );
  });

  it('is refused when they are no continuation of the migrations of this version', async () => {
    const other = await backupWith(migrationFolder(known.length));
    changeSchema(other, [...RESTORED.schema.slice(0, -1), '0'.repeat(64)]);
    expect(await refusalOf(other)).toContain('can neither use nor upgrade');
  });
});

describe('the check of a backup', () => {
  it('restores it into a folder that is deleted, and reports its contents', async () => {
    const manifest = await backupWith(MIGRATIONS);
    const workFolder = newFolder();
    expect(await checkBackup({ ...order, manifest, workFolder })).toMatchObject({ transfers: 1 });
    expect(readdirSync(workFolder)).toEqual([]);
  });

  it('fails for a damaged backup and for one of another service, and leaves nothing', async () => {
    const manifest = await backupWith(MIGRATIONS);
    const workFolder = newFolder();
    await expect(checkBackup({ ...order, manifest, workFolder, secretKey: Buffer.alloc(32, 8) })).rejects.toThrow();
    const { file } = JSON.parse(readFileSync(manifest, 'utf8')) as Manifest;
    const archive = join(manifest, '..', file);
    const bytes = readFileSync(archive);
    bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1;
    writeFileSync(archive, bytes);
    await expect(checkBackup({ ...order, manifest, workFolder })).rejects.toThrow();
    expect(readdirSync(workFolder)).toEqual([]);
  });
});
