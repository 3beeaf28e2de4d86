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

let git: string;
beforeEach(() => {
  git = mkdtempSync(join(tmpdir(), 'satchel-git-'));
});
afterEach(() => rmSync(git, { recursive: true }));

function write(name: string, text: string): void {
  mkdirSync(join(git, name, '..'), { recursive: true });
  writeFileSync(join(git, name), text);
}

it('reads the commit of a branch, of a packed branch and of a detached head', async () => {
  const commit = async () => (await readVersion(undefined, git)).commit;
  write('HEAD', `${COMMIT}\n`);
  expect(await commit()).toBe(COMMIT);
  write('HEAD', 'ref: refs/heads/main\n');
  expect(await commit()).toBeNull();
  write('packed-refs', `# pack-refs with: peeled\n${'0'.repeat(40)} refs/heads/other\n${COMMIT} refs/heads/main\n`);
  expect(await commit()).toBe(COMMIT);
  write('refs/heads/main', `${'1'.repeat(40)}\n`);
  expect(await commit()).toBe('1'.repeat(40));
});

it('knows no commit outside of a clone unless the setting names it', async () => {
  expect((await readVersion(undefined, join(git, 'nothing'))).commit).toBeNull();
  expect((await readVersion('abcdef0', join(git, 'nothing'))).commit).toBe('abcdef0');
});
