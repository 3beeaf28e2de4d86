import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const docs = join(import.meta.dirname, '..', '..', 'docs');
const page = readFileSync(join(docs, 'security.md'), 'utf8');
const promises = new Set(
  Array.from(readFileSync(join(docs, 'guarantees.md'), 'utf8').matchAll(/^([A-Z]\d+) \|/gm), ([, number]) => number),
);

/** An attack, what limits it, and its tests; not the two lines of the head, and not an attacker in bold. */
const ROW = /^(?!attack |--- )([^|\n*]+) \| [^|\n]+ \| (.+)$/gm;

/** A link to a test: a part of its title, and its file. */
const TEST = /\[([^\]]+)\]\((\.\.\/test\/[^)]+)\)/g;

const NUMBER = /\b[A-Z]\d+\b/g;

/** Returns whether a string of the file contains the text. */
function hasTitle(file: string, text: string): boolean {
  if (!existsSync(file)) return false;
  return readFileSync(file, 'utf8')
    .split('\n')
    .some((line) => /['"`]/.test(line.slice(0, Math.max(0, line.indexOf(text)))));
}

it('names tests that exist for every row of the threat model', () => {
  const rows = [...page.matchAll(ROW)];
  expect(rows.length).toBeGreaterThan(25);
  const wrong = rows.flatMap(([, attack, tests = '']) => {
    const links = [...tests.matchAll(TEST)].map(([link, title = '', path = '']) => ({ link, isThere: hasTitle(join(docs, path), title) }));
    const others = tests.replaceAll(TEST, '');
    const numbers = (others.match(NUMBER) ?? []).map((link) => ({ link, isThere: promises.has(link) }));
    const named = [...links, ...numbers];
    const unknown = named.filter(({ isThere }) => !isThere).map(({ link }) => link);
    const rest = others.replaceAll(NUMBER, '').replaceAll(/[, ]/g, '');
    return [...unknown, rest, named.length === 0 ? 'no test' : ''].filter(Boolean).map((one) => `${attack}: ${one}`);
  });
  expect(wrong).toEqual([]);
});
