import { globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const FOLDERS = ['bench', 'client', 'devnet', 'docs', 'migrations', 'ops', 'scripts', 'src', 'test', 'web'];
const isSource = (path: string) => !/(^|\/)(node_modules|dist)\//.test(path);
const files = new Set(
  [...globSync(`{${FOLDERS.join(',')}}/**/*`, { cwd: root }), ...globSync('*', { cwd: root })]
    .filter(isSource)
    .map((path) => path.replaceAll('\\', '/')),
);

/** Names of files that are no files of this project, by the file that names them. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  'src/core/db/migrate.ts': ['NNNN-name.sql'],
  // Files of other projects.
  'test/clients/lndhub/alby.ts': ['connectors/lndhub.ts'],
  'test/lightning/bolt11-vectors.ts': ['11-payment-encoding.md'],
  'web/src/texts/texts.ts': ['vite/types/importMeta.d.ts'],
};

const COMMENT = /(?:^\s*(?:\*|--|#)|(?<![:\w])\/\/|\/\*)(.*)/;
const NAME = /(?<![\w/.…*{<-])(?:[\w.-]+\/)*[\w-][\w.-]*\.(?:tsx?|sql|md|mjs)\b/g;

/** Every end of the path of a file that begins with a name. */
const ends = new Set(
  [...files].flatMap((path) => {
    const names = path.split('/');
    return names.map((_, index) => names.slice(index).join('/'));
  }),
);

/** Returns whether a file exists with this path from the root or from the folder of the comment, or with this end of a path. */
function exists(name: string, from: string): boolean {
  return files.has(posix.join(dirname(from), name)) || ends.has(name.replace(/^(\.\.?\/)+/, ''));
}

it('finds every file that a comment names', () => {
  const missing: string[] = [];
  for (const path of files) {
    if (!/\.(tsx?|sql|mjs)$/.test(path)) continue;
    for (const [index, line] of readFileSync(join(root, path), 'utf8').split('\n').entries()) {
      const [, comment = ''] = COMMENT.exec(line) ?? [];
      const names = Array.from(comment.matchAll(NAME), ([name]) => name).filter((name) => !OTHERS[path]?.includes(name));
      missing.push(...names.filter((name) => !exists(name, path)).map((name) => `${path}:${index + 1}: ${name}`));
    }
  }
  expect(missing).toEqual([]);
});

it('gives each decision a number of its own, which is that of its heading', () => {
  const decisions = globSync('docs/decisions/*.md', { cwd: root }).sort();
  const numbers = decisions.map((path) => Number(/(\d{4})-/.exec(path)?.[1]));
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
  const headings = decisions.map((path) => Number(/^# (\d+)\. /.exec(readFileSync(join(root, path), 'utf8'))?.[1]));
  expect(headings).toEqual(numbers);
});

it('has a reason for every dependency of the service in the table of decision 1', () => {
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const decision = readFileSync(join(root, 'docs/decisions/0001-runtime-and-dependencies.md'), 'utf8');
  const rows = decision.split('\n').filter((line) => line.startsWith('|'));
  const named = new Set(rows.flatMap((row) => Array.from((row.split('|')[1] ?? '').matchAll(/`([^`]+)`/g), ([, name = '']) => name)));
  // The runtime is the decision itself; the row of fastify and typebox names their packages as a whole.
  const isCovered = (name: string) => named.has(name) || /^node(-|$)/.test(name) || name.startsWith('@fastify/');
  expect(Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => !isCovered(name))).toEqual([]);
});
