import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'rolldown';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The bundles of programs, by the path of the source in the repository. */
    programs?: Readonly<Record<string, string>>;
  }
}

const ROOT = join(import.meta.dirname, '..', '..');
/** The programs that tests start hundreds of times. */
const PROGRAMS = ['src/main.ts', 'src/cli/satchel.ts', 'test/process/kill-matrix/crashing-service.ts'];
const CACHE = join(ROOT, 'node_modules', '.cache', 'satchel');

/** Replaces the location of a bundled module with that of its source, so that it finds the files beside it: migrations, worker threads. */
const locatedAtSource: Plugin = {
  name: 'located-at-source',
  transform: (code, id) =>
    code.includes('import.meta')
      ? code
          .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
          .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      : undefined,
};

/** Bundles the programs, because a bundle starts with 60 % of the processor time that their 800 modules need. */
export async function setup({ provide }: TestProject): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  const made = mkdtempSync(join(CACHE, 'bundling-'));
  await build({
    cwd: ROOT,
    input: PROGRAMS,
    platform: 'node',
    logLevel: 'silent',
    plugins: [locatedAtSource],
    external: ['tiny-secp256k1', 'lightningdevkit', 'pg-native'],
    // Node reads a file with another ending twice, to find out its format.
    output: { dir: made, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' },
  });
  const folder = join(CACHE, 'programs');
  mkdirSync(folder, { recursive: true });
  // Another run in this folder may be starting them.
  for (const name of readdirSync(made)) renameSync(join(made, name), join(folder, name));
  rmSync(made, { recursive: true });
  provide('programs', Object.fromEntries(PROGRAMS.map((path) => [path, join(folder, `${basename(path, '.ts')}.mjs`)])));
}
