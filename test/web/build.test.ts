import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { expect, it } from 'vitest';

const dist = join(import.meta.dirname, '..', '..', 'web', 'dist');

/** The budgets of the dashboard, in bytes as the service sends them: text with Brotli at its highest level. */
const FIRST_LOAD = 64_000;
const SCREEN = 25_000;
const LANGUAGE = 40_000;

/** A part of Vite's manifest. */
interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
  readonly assets?: readonly string[];
  readonly isEntry?: boolean;
  readonly isDynamicEntry?: boolean;
}

// The tests' global setup has built it.
const manifest: Readonly<Record<string, Chunk>> = JSON.parse(readFileSync(join(dist, '.manifest.json'), 'utf8'));

it('the first load with the wallets takes less than 64 kB', () => {
  const files = ['index.html', 'theme.js', ...entryFiles(), ...lazyFiles(screens().find(([name]) => name.includes('/wallets/'))?.[1])];
  expect(total(files), files.join(' ')).toBeLessThan(FIRST_LOAD);
});

it('every other screen takes less than 25 kB', () => {
  const sizes = screens().map(([name, chunk]) => [name, total(lazyFiles(chunk))] as const);
  expect(sizes.length).toBeGreaterThan(0);
  expect(sizes.filter(([, size]) => size >= SCREEN)).toEqual([]);
});

it('a language is one file, which English does not load, and takes less than 40 kB', () => {
  const languages = Object.entries(manifest).filter(([name]) => /src\/texts\/(..)\/\1\.ts$/.test(name));
  expect(languages.length).toBeGreaterThan(0);
  for (const [name, chunk] of languages) {
    // The file is awaited before any other code runs. An import of that code would wait forever.
    expect(chunk.imports ?? [], name).toEqual([]);
    expect(entryFiles()).not.toContain(chunk.file);
    expect(total([chunk.file]), name).toBeLessThan(LANGUAGE);
  }
});

it('the page has no inline script and no inline style', () => {
  const page = readFileSync(join(dist, 'index.html'), 'utf8');
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=/);
});

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
  return files.reduce((sum, file) => sum + sentSize(readFileSync(join(dist, file)), file), 0);
}

function sentSize(content: Buffer, file: string): number {
  if (/\.(woff2|png)$/.test(file)) return content.length;
  return brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }).length;
}
