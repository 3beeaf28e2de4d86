import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';

const web = join(import.meta.dirname, '..', '..', 'web');

/** The budgets of the dashboard, in bytes as the service sends them: text with Brotli at its highest level. */
const FIRST_LOAD = 60_000;
const SCREEN = 25_000;

/** A part of Vite's manifest. */
interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
  readonly assets?: readonly string[];
  readonly isEntry?: boolean;
  readonly isDynamicEntry?: boolean;
}

const folder = mkdtempSync(join(tmpdir(), 'satchel-web-'));
let manifest: Readonly<Record<string, Chunk>>;

beforeAll(() => {
  const vite = join(web, '..', 'node_modules', 'vite', 'bin', 'vite.js');
  const { PATH } = process.env;
  const options = ['--outDir', join(folder, 'dist'), '--manifest', '--logLevel', 'error'];
  execFileSync(process.execPath, [vite, 'build', web, ...options], { env: { PATH } });
  // The manifest lies in dist, but web/dist has none.
  manifest = JSON.parse(readFileSync(join(folder, 'dist', '.vite', 'manifest.json'), 'utf8'));
  rmSync(join(folder, 'dist', '.vite'), { recursive: true });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the dashboard in web/dist is the build of its sources; `npm run web` makes it so', () => {
  const [built, committed] = [filesOf(join(folder, 'dist')), filesOf(join(web, 'dist'))];
  expect(Object.keys(committed)).toEqual(Object.keys(built));
  expect(Object.keys(built).filter((name) => built[name] !== committed[name])).toEqual([]);
});

it('the first load with the wallets takes less than 60 kB', () => {
  const files = ['index.html', 'theme.js', ...entryFiles(), ...lazyFiles(screens().find(([name]) => name.includes('/wallets/'))?.[1])];
  expect(total(files), files.join(' ')).toBeLessThan(FIRST_LOAD);
});

it('every other screen takes less than 25 kB', () => {
  const sizes = screens().map(([name, chunk]) => [name, total(lazyFiles(chunk))] as const);
  expect(sizes.length).toBeGreaterThan(0);
  expect(sizes.filter(([, size]) => size >= SCREEN)).toEqual([]);
});

it('the page has no inline script and no inline style', () => {
  const page = readFileSync(join(folder, 'dist', 'index.html'), 'utf8');
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=/);
});

function filesOf(root: string): Record<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(paths.map((path) => [path.slice(root.length), readFileSync(path, 'base64')]));
}

function screens(): [string, Chunk][] {
  return Object.entries(manifest).filter(([name, { isDynamicEntry }]) => isDynamicEntry && name.includes('src/screens/'));
}

/** Returns the files of a chunk and of all chunks that it imports. */
function closure(chunk: Chunk | undefined, seen = new Set<string>()): Set<string> {
  if (!chunk || seen.has(chunk.file)) return seen;
  for (const file of [chunk.file, ...(chunk.css ?? []), ...(chunk.assets ?? [])]) seen.add(file);
  for (const name of chunk.imports ?? []) closure(manifest[name], seen);
  return seen;
}

function entryFiles(): string[] {
  return [...closure(Object.values(manifest).find(({ isEntry }) => isEntry))];
}

/** Returns the files of a screen that the first load does not have. */
function lazyFiles(chunk: Chunk | undefined): string[] {
  const entry = entryFiles();
  return [...closure(chunk)].filter((file) => !entry.includes(file));
}

function total(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + sentSize(readFileSync(join(folder, 'dist', file)), file), 0);
}

function sentSize(content: Buffer, file: string): number {
  if (/\.(woff2|png)$/.test(file)) return content.length;
  return brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }).length;
}
