import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { AccountKeys } from './accounts/accounts.ts';
import type { Config } from './config.ts';

/** Where the first start leaves the keys, for the `curl` lines that it prints; may be deleted once they are kept elsewhere. */
export function keysFile(dataDir: string): string {
  return join(dataDir, 'first-key');
}

/** Writes the keys of the first account for their owner alone: the secret key is the first line, the public key the second. */
export async function storeFirstKeys(dataDir: string, keys: AccountKeys): Promise<void> {
  await writeFile(keysFile(dataDir), `${keys.secretKey}\n${keys.publicKey}\n`, { mode: 0o600 });
}

/** The shell words by which the printed commands get the secret key, without showing it. */
export function secretKeyShell(config: Pick<Config, 'bootstrapSecretKey' | 'dataDir'>): string {
  const file = keysFile(config.dataDir);
  if (config.bootstrapSecretKey !== undefined) return '"$BOOTSTRAP_SECRET_KEY"';
  if (!existsSync(file)) return 'sak_…';
  const path = relative(process.cwd(), file);
  return `"$(head -n 1 '${(path.startsWith('..') ? file : path).replaceAll("'", "'\\''")}')"`;
}
