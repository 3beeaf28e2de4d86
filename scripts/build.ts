import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, globSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/*
 * `npm run build`: compiles the service to `dist`. Node refuses TypeScript under node_modules, so the package contains JavaScript. `dist` has
 * the layout of the repository, so that paths between files are the same in both.
 */

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');

rmSync(DIST, { recursive: true, force: true });
execFileSync(join(ROOT, 'node_modules', '.bin', 'tsc'), ['-p', join(ROOT, 'tsconfig.build.json')], { stdio: 'inherit' });
copy('migrations');
copy('docs/openapi-examples.json');
copy('src/features/payer-pages/assets');
// Files that begin with a dot describe the build of the dashboard.
copy('web/dist', (path) => !basename(path).startsWith('.'));
copy('client', (path) => !/\.(md|json)$|LICENSE$/.test(path));
const { name, version, type, license, engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>;
const commit = commitOfClone();
writeFileSync(
  join(DIST, 'package.json'),
  `${JSON.stringify({ name, version, type, license, engines, ...(commit && { commit }) }, null, 2)}\n`,
);
setModes();

function copy(path: string, filter: (path: string) => boolean = () => true): void {
  cpSync(join(ROOT, path), join(DIST, path), { recursive: true, filter });
}

/** Returns the commit whose files were built; undefined outside a clone, and if a file differs from the commit. */
function commitOfClone(): string | undefined {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    return git('status', '--porcelain') === '' ? git('rev-parse', 'HEAD') : undefined;
  } catch {
    return undefined;
  }
}

/** Gives the files of the package the same modes everywhere: npm packs them, and they depend on the umask of the clone and of this process. */
function setModes(): void {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: string[] };
  const paths = globSync(['package.json', 'README.md', 'LICENSE', ...files, ...files.map((path) => `${path}/**`)], { cwd: ROOT });
  for (const path of paths.map((found) => join(ROOT, found))) {
    const isProgram = lstatSync(path).isDirectory() || path === join(ROOT, 'bin', 'satchel');
    chmodSync(path, isProgram ? 0o755 : 0o644);
  }
}
