import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../src/core/db/open.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { copySqlite } from '../../src/features/backup/copy-sqlite.ts';
import { BackupFailed, type Manifest } from '../../src/features/backup/manifest.ts';
import { restoreBackup } from '../../src/features/backup/restore.ts';
import { sourceOf } from '../../src/features/backup/source.ts';
import { type BackupSource, type TakenBackup, takeBackup } from '../../src/features/backup/take-backup.ts';
import { onFakeNode } from '../support/app.ts';
import { problemsOf, silentLog } from '../support/ledger.ts';

/** `BACKUP_FUZZ_RUNS=2000` tries more damages. A failure prints the seed. */
const RUNS = Number(process.env.BACKUP_FUZZ_RUNS ?? 100);
const SEED = process.env.BACKUP_FUZZ_SEED === undefined ? {} : { seed: Number(process.env.BACKUP_FUZZ_SEED) };

const root = mkdtempSync(join(tmpdir(), 'satchel-bad-input-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;

const secretKey = new Uint8Array(32).fill(7);

function newFolder(): string {
  const folder = join(root, String(++folders));
  mkdirSync(folder);
  return folder;
}

function backUp(source: BackupSource, recipients: readonly string[] = []): Promise<TakenBackup> {
  const folder = newFolder();
  const keep = { hours: 24, days: 14, months: 12 };
  const common = { keep, secretKey, version: '0.1.0', commit: null, clock: systemClock, log: silentLog, progress: () => {} };
  return takeBackup({ source, folder, workFolder: folder, recipients, ...common });
}

function restore(manifest: string, database: string, identities: readonly string[]): Promise<Manifest> {
  return restoreBackup({ manifest, database, identities, secretKey, clock: systemClock, log: silentLog, progress: () => {} });
}

async function problemsIn(file: string): Promise<readonly string[]> {
  const database = await openDatabase(`sqlite:${file}`, { readOnly: true, log: silentLog });
  return problemsOf(database).finally(() => database.close());
}

/** A place in a file, as a fraction of its size. */
const at = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const target = fc.constantFrom('archive' as const, 'manifest' as const);
const fileDamage = fc.oneof(
  fc.record({ type: fc.constant('cut' as const), at }),
  fc.record({ type: fc.constant('flip' as const), at, bit: fc.nat(7) }),
  fc.record({ type: fc.constant('hole' as const), at, bytes: fc.integer({ min: 1, max: 4096 }) }),
  fc.record({ type: fc.constant('more' as const), bytes: fc.integer({ min: 1, max: 100 }) }),
);
type FileDamage = typeof fileDamage extends fc.Arbitrary<infer T> ? T : never;

const damage = fc.record({
  isEncrypted: fc.boolean(),
  what: fc.oneof(
    { weight: 8, arbitrary: fc.record({ target, damage: fileDamage }) },
    { weight: 1, arbitrary: fc.constant('the archive of another backup' as const) },
    { weight: 1, arbitrary: fc.constant('the identity of another key' as const) },
  ),
});

function damageFile(path: string, one: FileDamage): void {
  const bytes = readFileSync(path);
  const index = one.type === 'more' ? 0 : Math.floor(one.at * bytes.length);
  if (one.type === 'more') appendFileSync(path, Buffer.alloc(one.bytes, ' '));
  else if (one.type === 'cut') truncateSync(path, index);
  else {
    if (one.type === 'flip') bytes[index] = (bytes[index] ?? 0) ^ (1 << one.bit);
    else bytes.fill(0, index, Math.min(bytes.length, index + one.bytes));
    writeFileSync(path, bytes);
  }
}

onFakeNode('a backup that was damaged', (app, dialect) => {
  const { client, net } = app;
  const identities: string[] = [];
  const backups: { plain: TakenBackup; encrypted: TakenBackup }[] = [];

  const back = async (recipients: readonly string[]) => {
    const database = await openDatabase(app.databaseUrl, { readOnly: true, log: silentLog });
    return backUp(await sourceOf(app.databaseUrl, { database, log: silentLog, isBackground: false }), recipients).finally(() =>
      database.close(),
    );
  };

  beforeAll(async () => {
    identities.push(await generateX25519Identity(), await generateX25519Identity());
    const recipients = [await identityToRecipient(identities[0] as string)];
    const [rich, poor] = [await client.wallet(100_000), await client.wallet(0)];
    for (const _ of [1, 2]) {
      const { paymentRequest } = net.outside.invoice({ amountMsat: 5_000 });
      await client.post(`/v1/wallet/${rich.id}/withdraw`, { payment_request: paymentRequest });
      await client.post(`/v1/wallet/${rich.id}/transfer`, { dest_wallet_id: poor.id, num_satoshis: 3 });
      backups.push({ plain: await back([]), encrypted: await back(recipients) });
    }
  });

  it('at any place is rejected with the reason, leaves nothing behind, and the undamaged one is restored at the same place', async () => {
    let restored = 0;
    const folder = newFolder();
    const database = join(folder, 'satchel.db');
    await fc.assert(
      fc.asyncProperty(damage, async ({ isEncrypted, what }) => {
        const name = isEncrypted ? 'encrypted' : 'plain';
        const [{ path, manifest }, other] = backups.map((both) => both[name]) as [TakenBackup, TakenBackup];
        const copy = newFolder();
        const [archive, file] = [join(copy, manifest.file), join(copy, 'satchel-copy.json')];
        copyFileSync(join(path, '..', manifest.file), archive);
        copyFileSync(path, file);
        if (what === 'the archive of another backup') copyFileSync(join(other.path, '..', other.manifest.file), archive);
        else if (typeof what === 'object') damageFile(what.target === 'archive' ? archive : file, what.damage);
        const identity = identities[what === 'the identity of another key' ? 1 : 0] as string;
        const result: unknown = await restore(file, database, isEncrypted ? [identity] : []).catch((error: unknown) => error);
        if (result instanceof Error) {
          expect(result).toBeInstanceOf(BackupFailed);
          expect(result.message).toMatch(/\.$/);
          expect(readdirSync(folder).filter((name) => name !== 'satchel.db.lock')).toEqual([]);
        } else {
          // Nothing of the content was changed, such as by a space after the manifest.
          expect(result).toEqual(manifest);
          expect(await problemsIn(database)).toEqual([]);
          restored += 1;
          rmSync(database);
        }
        rmSync(copy, { recursive: true });
      }),
      { numRuns: RUNS, ...SEED },
    );
    expect(restored).toBeLessThan(RUNS / 2);
    const { path, manifest } = (backups[0] as (typeof backups)[0]).plain;
    expect(await restore(path, database, [])).toEqual(manifest);
    expect(await problemsIn(database)).toEqual([]);
  });

  if (dialect === 'sqlite')
    it('before it was taken, in the file of the database, is refused with the reason or contains a clean ledger', async () => {
      const source = join(newFolder(), 'source.db');
      await copySqlite(app.databaseUrl.slice('sqlite:'.length), source, () => {});
      let refused = 0;
      await fc.assert(
        fc.asyncProperty(fileDamage, async (one) => {
          const copy = join(newFolder(), 'satchel.db');
          copyFileSync(source, copy);
          damageFile(copy, one);
          const bytes = readFileSync(copy).length;
          const result = await backUp({ bytes, copy: (to, progress) => copySqlite(copy, to, progress) }).catch((error: unknown) => error);
          if (result instanceof Error) {
            expect(result).toBeInstanceOf(BackupFailed);
            refused += 1;
          } else {
            const { path, manifest } = result as TakenBackup;
            expect(await restore(path, join(newFolder(), 'satchel.db'), [])).toEqual(manifest);
          }
        }),
        { numRuns: RUNS, ...SEED },
      );
      expect(refused).toBeGreaterThan(0);
    });
});
