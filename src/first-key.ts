import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { AccountKeys } from './accounts/accounts.ts';
import type { Config } from './config.ts';

/** Returns the absolute path of the file in which the first start stores the keys. It may be deleted once they are kept elsewhere. */
export function keysFile(dataDir: string): string {
  return resolve(dataDir, 'first-key');
}

/** Writes the keys of the first account for their owner alone: the secret key is the first line, the public key the second. */
export async function storeFirstKeys(dataDir: string, keys: AccountKeys): Promise<void> {
  await writeFile(keysFile(dataDir), `${keys.secretKey}\n${keys.publicKey}\n`, { mode: 0o600 });
}

/** Returns the shell words that read the secret key without showing it. The path is absolute, so they work in every folder. */
export function secretKeyShell(config: Pick<Config, 'bootstrapSecretKey' | 'dataDir'>): string {
  const file = keysFile(config.dataDir);
  if (config.bootstrapSecretKey !== undefined) return '"$BOOTSTRAP_SECRET_KEY"';
  if (!existsSync(file)) return 'sak_…';
  return `"$(head -n 1 '${file.replaceAll("'", "'\\''")}')"`;
}
