import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Config } from './config.ts';
import type { AccountKeys } from './core/accounts/accounts.ts';

/** Only their owner may read the files in DATA_DIR: they contain keys. */
const PRIVATE = { mode: 0o600 };

/** Returns the absolute path of the file with the keys of the first account. The operator may delete it after storing the keys elsewhere. */
export function keysFile(dataDir: string): string {
  return resolve(dataDir, 'first-key');
}

/** Writes the keys of the first account to a file: the secret key, then the public key, one per line. */
export async function storeFirstKeys(dataDir: string, keys: AccountKeys): Promise<void> {
  await writeFile(keysFile(dataDir), `${keys.secretKey}\n${keys.publicKey}\n`, PRIVATE);
}

/** Returns a shell expression that expands to the secret key. Its path is absolute, so it works in every folder. */
export function secretKeyShell({ bootstrapSecretKey, dataDir }: Config): string {
  const file = keysFile(dataDir);
  if (bootstrapSecretKey !== undefined) return '"$BOOTSTRAP_SECRET_KEY"';
  if (!existsSync(file)) return 'sak_…';
  return `"$(head -n 1 '${file.replaceAll("'", "'\\''")}')"`;
}

/** Writes the setup link of the operator to a file, or removes the file of an earlier start, whose link no longer works. Returns its path. */
export async function storeSetupLink(dataDir: string, url: string | undefined): Promise<string> {
  const file = resolve(dataDir, 'setup-link');
  await rm(file, { force: true });
  if (url !== undefined) await writeFile(file, `${url}\n`, { ...PRIVATE, flag: 'wx' });
  return file;
}

/** Returns the text of a file, which is created with another text unless it exists. */
export async function readOrCreate(file: string, newText: string): Promise<string> {
  // A process that starts at the same time may create it first.
  await writeFile(file, `${newText}\n`, { ...PRIVATE, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return (await readFile(file, 'utf8')).trim();
}
