import { rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';

/** Returns the absolute path of the file with the setup link of the operator. */
function setupLinkFile(dataDir: string): string {
  return resolve(dataDir, 'setup-link');
}

/** Writes the link to a file that only its owner may read. @returns the path of the file */
export async function storeSetupLink(dataDir: string, url: string): Promise<string> {
  await removeSetupLink(dataDir);
  await writeFile(setupLinkFile(dataDir), `${url}\n`, { mode: 0o600, flag: 'wx' });
  return setupLinkFile(dataDir);
}

/** Removes the file of an earlier start, whose link no longer works. */
export async function removeSetupLink(dataDir: string): Promise<void> {
  await rm(setupLinkFile(dataDir), { force: true });
}
