import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MIGRATIONS } from './core/db/migrate.ts';
import type { Version } from './features/service/routes.ts';
import { API_VERSION } from './http/openapi/document.ts';

const ROOT = join(import.meta.dirname, '..');

/** Returns the version. `commit` is the setting COMMIT; without it, the commit is that of the package or the clone that this code runs from. */
export async function readVersion(commit: string | undefined, root = ROOT): Promise<Version> {
  const { version, commit: built } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string; commit?: string };
  const migrations = await readdir(MIGRATIONS);
  const schema = Math.max(...migrations.map((name) => Number.parseInt(name, 10)).filter((number) => !Number.isNaN(number)));
  return { version, commit: commit ?? built ?? (await commitOf(join(root, '.git'))), schema, api: API_VERSION };
}

/** Reads the checked-out commit from the files of git, which may not be installed. */
async function commitOf(git: string): Promise<string | null> {
  const read = (name: string) => readFile(join(git, name), 'utf8').catch(() => '');
  const head = (await read('HEAD')).trim();
  const ref = /^ref: (.+)$/.exec(head)?.[1];
  const packed = async (name: string) => (await read('packed-refs')).split('\n').find((line) => line.endsWith(` ${name}`)) ?? '';
  const text = ref === undefined ? head : (await read(ref)) || (await packed(ref));
  return /^[0-9a-f]{40,64}/.exec(text)?.[0] ?? null;
}
