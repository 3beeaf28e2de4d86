import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const web = join(import.meta.dirname, '..', '..', 'web');

function filesOf(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(paths.map((path) => [path.slice(folder.length), readFileSync(path, 'base64')]));
}

it('the dashboard in web/dist is the build of its sources; `npm run web` makes it so', () => {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-web-'));
  try {
    const vite = join(web, '..', 'node_modules', 'vite', 'bin', 'vite.js');
    const { PATH } = process.env;
    execFileSync(process.execPath, [vite, 'build', web, '--outDir', folder, '--logLevel', 'error'], { env: { PATH } });
    const [built, committed] = [filesOf(folder), filesOf(join(web, 'dist'))];
    expect(Object.keys(committed)).toEqual(Object.keys(built));
    expect(Object.keys(built).filter((name) => built[name] !== committed[name])).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
