import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

it('finds every test that docs/guarantees.md names', () => {
  const page = readFileSync(join(root, 'docs', 'guarantees.md'), 'utf8');
  const promises = page.split('\n').filter((line) => line.startsWith('- ') && line.includes('`test/'));
  expect(promises.length).toBeGreaterThan(30);
  const missing: string[] = [];
  for (const promise of promises) {
    let text = '';
    for (const [, file, title] of promise.matchAll(/`(test\/[^`]+)`|"([^"]+)"/g)) {
      if (file !== undefined) text = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '';
      if (text === '' || (title !== undefined && !text.includes(title))) missing.push(`${file ?? ''} ${title ?? ''}`);
    }
  }
  expect(missing).toEqual([]);
});
