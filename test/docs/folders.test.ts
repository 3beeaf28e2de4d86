import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

it('ignores in git the folders and databases, with their secrets, that the docs suggest inside the clone', () => {
  const ignored = readFileSync(join(root, '.gitignore'), 'utf8').split('\n');
  expect(ignored).toEqual(expect.arrayContaining(['data/', '*.db']));
  const pages = ['README.md', 'CONTRIBUTING.md', ...readdirSync(join(root, 'docs')).map((name) => join('docs', name))];
  const text = pages.filter((page) => page.endsWith('.md')).map((page) => readFileSync(join(root, page), 'utf8'));
  const folders = [...text.join('\n').matchAll(/\bDATA_DIR=([\w.]\S*)/g)].map(([, folder = '']) => folder);
  expect(folders.length).toBeGreaterThan(3);
  expect(folders.filter((folder) => !folder.startsWith('./data/'))).toEqual([]);
});
