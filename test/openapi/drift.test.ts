import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { generatedFiles, ROOT } from '../../scripts/openapi/generate.ts';

it('keeps the committed description and client equal to the routes', async () => {
  const files = await generatedFiles();
  const committed = async (file: string) => readFile(new URL(file, ROOT), 'utf8').catch(() => '');
  const stale: string[] = [];
  for (const [file, text] of Object.entries(files)) if ((await committed(file)) !== text) stale.push(file);
  expect(stale, 'the routes have changed: run `npm run openapi` and commit what it writes').toEqual([]);
  expect(Object.keys(files)).toEqual(['openapi.json', 'openapi-operator.json', 'client/operations.js', 'client/operations.d.ts']);
});
