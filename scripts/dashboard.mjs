// Builds the dashboard and the page of the API from `web/` into `web/dist`. It is JavaScript that old versions of Node can run, because install.mjs uses it.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedNode } from './bundled-node.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const web = join(root, 'web');
const dist = join(web, 'dist');
/** The folders outside of `web/` from which it imports. */
const SHARED = ['client', 'src/core/alerts'];
/** The only file of its folder that the dashboard imports. */
const PAYMENT_TEXT = join(root, 'src', 'core', 'kernel', 'payment-text.ts');
/** Writes the page of the API. */
const REFERENCE = join(root, 'scripts', 'reference.mjs');
/** In the build; the hash of the sources from which it was made. */
const STAMP = '.sources';

/** Returns whether `web/dist` is the build of its sources, or has come without sources. */
export function isDashboardCurrent() {
  return !existsSync(join(web, 'src')) || isBuildOf(sourcesHash());
}

/**
 * Builds the dashboard, if it is not current, in a temporary folder that then replaces `web/dist`. Processes may do so at once: one that finds a
 * current build before it replaces it discards its own, so a current `web/dist` is never touched.
 */
export function buildDashboard() {
  if (isDashboardCurrent()) return;
  const hash = sourcesHash();
  const folder = newFolder();
  try {
    const built = join(folder, 'new');
    runVite(built);
    writeReference(join(built, 'docs'));
    writeFileSync(join(built, STAMP), hash);
    publish(built, hash);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function newFolder() {
  try {
    return mkdtempSync(join(web, '.dist-'));
  } catch (error) {
    throw new Error(`${web} is not writable (${error.code})`);
  }
}

function runVite(outDir) {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  if (!existsSync(vite)) throw new Error('the packages that build it are not installed');
  run('vite', [vite, 'build', web, '--outDir', outDir, '--logLevel', 'error']);
}

function writeReference(folder) {
  mkdirSync(folder);
  run('the page of the API', [REFERENCE, folder]);
}

/** Runs a script. Its output goes to standard error, because a program may read the output of the command. */
function run(name, args) {
  try {
    execFileSync(installedNode(root) ?? process.execPath, args, { env: { PATH: process.env.PATH }, stdio: ['ignore', 2, 'inherit'] });
  } catch {
    throw new Error(`${name} failed with the message above`);
  }
}

/** Moves a build to `web/dist`, unless another process has just done so. */
function publish(built, hash) {
  for (let attempt = 0; !isBuildOf(hash); attempt++)
    try {
      if (existsSync(dist)) renameSync(dist, `${built}-replaced-${attempt}`);
      return renameSync(built, dist);
    } catch (error) {
      // Another process moved its own build in between.
      if (attempt === 10 || !['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
    }
}

function isBuildOf(hash) {
  const stamp = join(dist, STAMP);
  // Git deletes the other files when it leaves a commit that contained them.
  return existsSync(join(dist, 'index.html')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;
}

/** Returns a hash of everything that the build depends on: the application, what it imports and the versions of the packages. */
function sourcesHash() {
  const files = [
    join(root, 'package-lock.json'),
    REFERENCE,
    PAYMENT_TEXT,
    ...SHARED.flatMap((folder) => filesIn(join(root, folder))),
    ...filesIn(web),
  ];
  const hash = createHash('sha256');
  for (const file of files.sort())
    hash.update(`${file.slice(root.length)}\0`).update(createHash('sha256').update(readFileSync(file)).digest());
  return hash.digest('hex');
}

/** Returns the files in a folder, without builds, packages and hidden ones. */
function filesIn(folder) {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !/^(\.|dist$|node_modules$)/.test(name));
  return entries.flatMap((entry) => (entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)]));
}
