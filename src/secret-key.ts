import { hkdfSync, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Config } from './config.ts';
import type { Database, SqlReader } from './core/db/database.ts';
import { deleteFactIf, readFact, writeOnce } from './core/db/facts.sql.ts';
import { readOrCreate } from './data-files.ts';
import { InvalidConfig } from './settings.ts';

type Settings = Pick<Config, 'secretKey' | 'dataDir' | 'replaceSecretKey'>;

/** The fingerprint of the key with which the service first started on the database. */
const FACT = 'secret_key';

/**
 * Returns the key that encrypts signing secrets of webhooks and seeds of authenticator apps, and names the wallets in the node's records:
 * SECRET_KEY, or the one in DATA_DIR/secret-key, which the first start creates. Stores its fingerprint in the database.
 * @throws InvalidConfig when the database was used with another key, which alone reads what is in it, unless REPLACE_SECRET_KEY names that key
 */
export async function openSecretKey(settings: Settings, database: Database): Promise<Uint8Array> {
  const earlier = (await database.first(readFact, FACT))?.value;
  const mayBeNew = earlier === undefined || earlier === settings.replaceSecretKey;
  const key = (await findSecretKey(settings)) ?? (mayBeNew ? await createSecretKey(settings) : undefined);
  if (!key) throw new InvalidConfig(`${fileOf(settings)} does not exist, and SECRET_KEY is not set. ${remedyFor(earlier)}`);
  if (earlier === undefined || earlier !== fingerprintOf(key))
    await database.transaction(async (tx) => {
      if (settings.replaceSecretKey !== undefined) await tx.run(deleteFactIf, FACT, settings.replaceSecretKey);
      // Of two instances that start at the same time, one stores its key.
      await tx.run(writeOnce, FACT, fingerprintOf(key));
    });
  await requireSecretKey(database, key);
  return key;
}

/** Checks that a key is the one with which the service uses the database, if a service has started on it. @throws InvalidConfig */
export async function requireSecretKey(database: SqlReader, key: Uint8Array): Promise<void> {
  const stored = (await database.first(readFact, FACT))?.value;
  if (stored === undefined || stored === fingerprintOf(key)) return;
  throw new InvalidConfig(`The secret key (fingerprint ${fingerprintOf(key)}) is not that of the database. ${remedyFor(stored)}`);
}

function remedyFor(fingerprint = ''): string {
  return (
    `Set SECRET_KEY to the key of this database (fingerprint ${fingerprint}), or restore its file DATA_DIR/secret-key. ` +
    `If it is lost, start the service with REPLACE_SECRET_KEY=${fingerprint}.`
  );
}

/** Returns SECRET_KEY or the key in DATA_DIR/secret-key; undefined if there is none. @throws InvalidConfig for a damaged file */
export async function findSecretKey(settings: Pick<Settings, 'secretKey' | 'dataDir'>): Promise<Uint8Array | undefined> {
  if (settings.secretKey) return settings.secretKey;
  const text = await readFile(fileOf(settings), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new InvalidConfig(`${fileOf(settings)} cannot be read (${error.code}). Give this user the right, or set SECRET_KEY.`);
  });
  return text === undefined ? undefined : parseKey(settings, text.trim());
}

async function createSecretKey(settings: Settings): Promise<Uint8Array> {
  return parseKey(settings, await readOrCreate(fileOf(settings), randomBytes(32).toString('hex')));
}

function parseKey(settings: Pick<Settings, 'dataDir'>, text: string): Uint8Array {
  if (/^[0-9a-f]{64}$/.test(text)) return Buffer.from(text, 'hex');
  throw new InvalidConfig(`${fileOf(settings)} must contain 64 hexadecimal characters. Restore it from a backup, or set SECRET_KEY.`);
}

function fileOf({ dataDir }: Pick<Settings, 'dataDir'>): string {
  return resolve(dataDir, 'secret-key');
}

/** The key is random, so its fingerprint reveals nothing about it. */
export function fingerprintOf(key: Uint8Array): string {
  return Buffer.from(hkdfSync('sha256', key, new Uint8Array(), 'satchel secret key fingerprint', 8)).toString('hex');
}
