import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { Value } from 'typebox/value';

/** Why a backup was not written, not read or not restored, and what to do. */
export class BackupFailed extends Error {
  override readonly name = 'BackupFailed';
}

const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** Unix seconds, up to the end of the year 9999. */
const Time = Type.Integer({ minimum: 0, maximum: 253_402_300_799 });

/** The description of a backup: `<name>.json` beside the file. It contains no keys, names or single balances. */
const Manifest = Type.Object({
  format: Type.Literal(1),
  /** The file of the backup, in the same folder. */
  file: Type.String({ pattern: '^satchel-[0-9]{8}T[0-9]{6}Z-[0-9a-f]{4}\\.db\\.gz(\\.age)?$' }),
  /** `lnd_…` */
  ledger_id: Type.String({ pattern: '^lnd_[0-9A-Za-z]{1,40}$' }),
  /** Unix seconds. The backup contains everything that was committed before. */
  created_at: Time,
  version: Type.String({ maxLength: 100 }),
  /** The commit of the program that wrote it. Absent if it was not known. */
  commit: Type.Optional(Type.String({ maxLength: 100 })),
  /** The SHA-256 of each migration that the database has. */
  schema: Type.Array(Hash, { minItems: 1, maxItems: 10_000 }),
  /** The number of transfers, and the position of the last one. */
  transfers: Count,
  last_position: Count,
  wallets: Count,
  /** Balances in msat per kind of ledger account, as decimal text. */
  trial_balance_msat: Type.Record(Type.String({ maxLength: 40 }), Type.String({ pattern: '^-?\\d{1,30}$' })),
  /** When the database was last restored, in Unix seconds; 0: never. */
  restored_at: Time,
  /** Of the file as it is. */
  bytes: Count,
  sha256: Hash,
  /** Of the SQLite database in it. */
  database_bytes: Count,
  database_sha256: Hash,
  /** Of all other fields, with a key from SECRET_KEY (origin.ts). Absent if the key was not known. */
  mac: Type.Optional(Hash),
});

export type Manifest = Type.Static<typeof Manifest>;

/** Manifests are a few kB. */
const MAX_MANIFEST_BYTES = 2_000_000;

/** Reads the manifest of a backup. @throws BackupFailed for a file that is none, or one of a newer version */
export async function readManifest(path: string): Promise<Manifest> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new BackupFailed(`The manifest ${path} cannot be read (${error.code}). Copy it from the folder of the backup.`);
  });
  const manifest = text.length <= MAX_MANIFEST_BYTES ? parse(text) : undefined;
  if (Value.Check(Manifest, manifest)) return manifest;
  const format = (manifest as { format?: unknown } | undefined)?.format;
  if (Number.isInteger(format) && Number(format) > 1)
    throw new BackupFailed(`The backup ${path} was written by a newer version of Satchel. Restore it with that version.`);
  throw new BackupFailed(
    `The file ${path} is no manifest of a backup, or it is damaged. Name the .json file beside the backup, or choose another one.`,
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the manifests in a folder, oldest first. Other files are ignored. */
export async function listBackups(folder: string): Promise<{ readonly path: string; readonly manifest: Manifest }[]> {
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names
      .filter((name) => /^satchel-.*\.json$/.test(name))
      .map(async (name) => {
        const path = join(folder, name);
        const manifest = await readManifest(path).catch(() => undefined);
        return manifest ? [{ path, manifest }] : [];
      }),
  );
  return found.flat().sort((a, b) => a.manifest.created_at - b.manifest.created_at || (a.path < b.path ? -1 : 1));
}
