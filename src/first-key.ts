import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Config } from './config.ts';
import type { AccountKeys } from './core/accounts/accounts.ts';

/** Returns the absolute path of the file with the keys of the first account. The operator may delete it after storing the keys elsewhere. */
export function keysFile(dataDir: string): string {
  return resolve(dataDir, 'first-key');
}

/** Writes the keys of the first account to a file that only its owner may read: the secret key, then the public key, one per line. */
export async function storeFirstKeys(dataDir: string, keys: AccountKeys): Promise<void> {
  await writeFile(keysFile(dataDir), `${keys.secretKey}\n${keys.publicKey}\n`, { mode: 0o600 });
}

/** Returns a shell expression that expands to the secret key. Its path is absolute, so it works in every folder. */
export function secretKeyShell(config: Pick<Config, 'bootstrapSecretKey' | 'dataDir'>): string {
  const file = keysFile(config.dataDir);
  if (config.bootstrapSecretKey !== undefined) return '"$BOOTSTRAP_SECRET_KEY"';
  if (!existsSync(file)) return 'sak_…';
  return `"$(head -n 1 '${file.replaceAll("'", "'\\''")}')"`;
}
