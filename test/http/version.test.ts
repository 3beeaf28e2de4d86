import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readVersion } from '../../src/version.ts';
import { onFakeNode } from '../support/app.ts';

const COMMIT = '9fceb02d0ae598e95dc970b74767f19372d61af8';

onFakeNode(
  'the version of a running service',
  ({ client }) => {
    it('is returned without a key, and with the health of the process', async () => {
      const version = { version: expect.stringMatching(/^\d+\.\d+\.\d+/), commit: COMMIT, schema: expect.any(Number), api: '1' };
      expect((await client.request('GET', '/v1/version')).body).toEqual(version);
      expect((await client.request('GET', '/healthz')).body).toEqual({ status: 'ok', ...version });
    });
  },
  { COMMIT },
);

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'satchel-git-'));
  write('package.json', '{"version":"1.2.3"}');
});
afterEach(() => rmSync(root, { recursive: true }));

function write(name: string, text: string): void {
  mkdirSync(join(root, name, '..'), { recursive: true });
  writeFileSync(join(root, name), text);
}

const commit = async (setting?: string) => (await readVersion(setting, root)).commit;

it('reads the commit of a branch, of a packed branch and of a detached head', async () => {
  write('.git/HEAD', `${COMMIT}\n`);
  expect(await commit()).toBe(COMMIT);
  write('.git/HEAD', 'ref: refs/heads/main\n');
  expect(await commit()).toBeNull();
  write('.git/packed-refs', `# pack-refs with: peeled\n${'0'.repeat(40)} refs/heads/other\n${COMMIT} refs/heads/main\n`);
  expect(await commit()).toBe(COMMIT);
  write('.git/refs/heads/main', `${'1'.repeat(40)}\n`);
  expect(await commit()).toBe('1'.repeat(40));
});

it('knows no commit outside of a clone unless the setting names it', async () => {
  expect(await commit()).toBeNull();
  expect(await commit('abcdef0')).toBe('abcdef0');
});

it('knows the commit from which its package was built', async () => {
  write('package.json', JSON.stringify({ version: '1.2.3', commit: COMMIT }));
  expect(await commit()).toBe(COMMIT);
});
