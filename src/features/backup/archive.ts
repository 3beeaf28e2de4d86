import { createHash, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { Decrypter, Encrypter } from 'age-encryption';
import { BackupFailed, type Manifest } from './manifest.ts';

/** The sizes and hashes of an archive and of the database in it. */
export type Digests = Pick<Manifest, 'bytes' | 'sha256' | 'database_bytes' | 'database_sha256'>;

/** Level 1 takes a third of the time of level 6, for files that are a fifth larger. */
const GZIP = { level: 1 };

/**
 * Compresses a file with gzip, and encrypts it with age (https://age-encryption.org/v1) to recipients, if there are any. `age -d` and `gunzip`
 * read it without Satchel.
 */
export async function writeArchive(
  from: string,
  to: string,
  recipients: readonly string[],
  progress: (done: number, total: number) => void,
): Promise<Digests> {
  const [database, archive] = [new Digest(), new Digest()];
  const total = (await stat(from)).size;
  database.onBytes = (bytes) => progress(bytes, total);
  const encrypt = encryptionFor(recipients);
  const target = createWriteStream(to, { mode: 0o600, flags: 'wx' });
  await pipeline(createReadStream(from), database.stream, createGzip(GZIP), encrypt, archive.stream, target);
  await syncFile(to);
  return { bytes: archive.bytes, sha256: archive.hex(), database_bytes: database.bytes, database_sha256: database.hex() };
}

/** A step of a pipeline. */
type Step = (source: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

/** Returns the step that encrypts to recipients, or passes on everything without any. @throws BackupFailed for an invalid recipient */
export function encryptionFor(recipients: readonly string[]): Step {
  if (recipients.length === 0) return (source) => source;
  const encrypter = new Encrypter();
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient);
    } catch {
      throw new BackupFailed(
        `BACKUP_RECIPIENTS contains ${recipient.slice(0, 12)}…, which is no public key of age. Name keys that begin with age1.`,
      );
    }
  }
  return async function* (source) {
    yield* await encrypter.encrypt(webStream(source));
  };
}

/** Returns the step that decrypts with one of the identities. It throws BackupFailed when none fits. */
function decryptionWith(identities: readonly string[]): Step {
  if (identities.length === 0)
    throw new BackupFailed('The backup is encrypted. Name the file with your age identity (AGE-SECRET-KEY-1…): --identity-file <file>.');
  const decrypter = new Decrypter();
  try {
    for (const identity of identities) decrypter.addIdentity(identity);
  } catch {
    throw new BackupFailed('The identity file contains a line that is no age identity. Identities begin with AGE-SECRET-KEY-1.');
  }
  return async function* (source) {
    const plain = await decrypter.decrypt(webStream(source)).catch(() => {
      throw new BackupFailed('No identity in the file decrypts this backup. Use the identity of a key that BACKUP_RECIPIENTS named.');
    });
    yield* plain;
  };
}

function webStream(source: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  return Readable.toWeb(Readable.from(source, { objectMode: false })) as ReadableStream<Uint8Array>;
}

/**
 * Reads an archive into a new file, and compares sizes and hashes with the manifest.
 * @param identities the age identities, one of which decrypts it
 * @throws BackupFailed for an archive that is truncated or altered, and without a fitting identity
 */
export async function readArchive(
  path: string,
  to: string,
  manifest: Digests,
  identities: readonly string[],
  progress: (done: number, total: number) => void,
): Promise<void> {
  await checkArchive(path, manifest);
  const database = new Digest(manifest.database_bytes);
  database.onBytes = (bytes) => progress(bytes, manifest.database_bytes);
  const decrypt: Step = path.endsWith('.age') ? decryptionWith(identities) : (source) => source;
  try {
    await pipeline(createReadStream(path), decrypt, createGunzip(), database.stream, createWriteStream(to, { mode: 0o600, flags: 'wx' }));
  } catch (error) {
    if (error instanceof BackupFailed || (error as NodeJS.ErrnoException).code === 'ENOSPC') throw error;
    throw new BackupFailed(`${path} cannot be read (${(error as Error).message}). Choose another backup.`);
  }
  if (database.bytes !== manifest.database_bytes || database.hex() !== manifest.database_sha256)
    throw new BackupFailed(`${path} does not contain the database that its manifest describes. Choose another backup.`);
  await syncFile(to);
}

/** Compares an archive with its manifest. @throws BackupFailed */
export async function checkArchive(path: string, { bytes, sha256 }: Pick<Digests, 'bytes' | 'sha256'>): Promise<void> {
  const size = await stat(path).then(
    (found) => found.size,
    (error: NodeJS.ErrnoException) => {
      throw new BackupFailed(`The backup ${path} cannot be read (${error.code}).`);
    },
  );
  if (size !== bytes)
    throw new BackupFailed(
      `${path} has ${size} bytes instead of ${bytes}: it is truncated or was changed. Copy it again, or choose another backup.`,
    );
  const digest = new Digest();
  await pipeline(createReadStream(path), digest.stream, async (source) => {
    for await (const _ of source);
  });
  if (digest.hex() !== sha256)
    throw new BackupFailed(`${path} was changed after it was written: its SHA-256 is not that of the manifest. Choose another backup.`);
}

/** Counts and hashes what flows through a stream. */
class Digest {
  readonly #hash: Hash = createHash('sha256');
  bytes = 0;
  onBytes: (bytes: number) => void = () => {};
  readonly stream: Transform;

  /** Fails beyond a limit: a few bytes can decompress to more than the disk holds. */
  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.stream = new Transform({
      transform: (chunk: Uint8Array, _encoding, done) => {
        this.bytes += chunk.length;
        if (this.bytes > maxBytes) return done(new BackupFailed('The backup contains more than its manifest says. Choose another backup.'));
        this.#hash.update(chunk);
        this.onBytes(this.bytes);
        done(null, chunk);
      },
    });
  }

  hex(): string {
    return this.#hash.copy().digest('hex');
  }
}

/** A file survives a power cut only after this. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
