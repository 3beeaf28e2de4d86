import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/** Those that the shell sets. */
const OF_THE_SHELL: ReadonlySet<string> = new Set(['HOME', 'PATH', 'PWD', 'RANDOM', 'USER']);

/** Returns the variables that the commands of a page use before they set them. */
function unsetVariables(page: string): string[] {
  const unset: string[] = [];
  const known = new Set(OF_THE_SHELL);
  for (const [, commands = ''] of page.matchAll(/```sh\n([\s\S]*?)```/g)) {
    for (const line of commands.split('\n')) {
      const set = [...line.matchAll(/(?:^|[\s;({&|])([A-Z][A-Z0-9_]*)=/g)].map(([, name = '']) => name);
      const words = [...line.matchAll(/\bfor ([A-Z][A-Z0-9_]*) in|\bread (?:-r )?([A-Z][A-Z0-9_]*)/g)].map(([, a, b]) => a ?? b ?? '');
      for (const name of [...set, ...words]) known.add(name);
      const used = [...line.matchAll(/\$\{?([A-Z][A-Z0-9_]*)(?![A-Z0-9_]|:-)/g)].map(([, name = '']) => name);
      unset.push(...used.filter((name) => !known.has(name)));
    }
  }
  return [...new Set(unset)];
}

it('finds a variable that a page uses before it sets it', () => {
  expect(unsetVariables('```sh\ncurl $URL\nURL=x; curl "$URL/$KEY"\n```\n')).toEqual(['URL', 'KEY']);
});

it.each(['README.md', ...globSync('docs/{*,lightning/*}.md', { cwd: root })])(
  'sets each variable in the commands of %s before they use it',
  (file) => {
    expect(unsetVariables(readFileSync(join(root, file), 'utf8'))).toEqual([]);
  },
);
