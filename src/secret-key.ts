import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type Config, InvalidConfig } from './config.ts';

/**
 * Returns the key that encrypts signing secrets of webhooks and seeds of authenticator apps: SECRET_KEY, or the one in DATA_DIR/secret-key, which the first start creates.
 * @throws InvalidConfig for a damaged file
 */
export async function readSecretKey({ secretKey, dataDir }: Pick<Config, 'secretKey' | 'dataDir'>): Promise<Uint8Array> {
  if (secretKey) return secretKey;
  const file = resolve(dataDir, 'secret-key');
  // A process that starts at the same time may create it first.
  await writeFile(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const text = (await readFile(file, 'utf8')).trim();
  if (/^[0-9a-f]{64}$/.test(text)) return Buffer.from(text, 'hex');
  throw new InvalidConfig(`${file} must contain 64 hexadecimal characters. Restore it from a backup, or set SECRET_KEY.`);
}
