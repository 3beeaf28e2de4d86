import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

/** An installed package whose programs called `node` print their folder and their arguments. */
const folder = mkdtempSync(join(tmpdir(), 'satchel-bin-'));
const root = join(folder, 'node_modules', 'satchel');

beforeAll(() => {
  mkdirSync(join(root, 'bin'), { recursive: true });
  copyFileSync(join(import.meta.dirname, '..', '..', 'bin', 'satchel'), join(root, 'bin', 'satchel'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function writeNode(path: string, version: string): void {
  const file = join(folder, path, 'node');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\nif [ "$1" = --version ]; then echo ${version}; else echo "${path}" "$@"; fi\n`);
  chmodSync(file, 0o755);
}

function satchel(...args: string[]) {
  const PATH = `${join(folder, 'own')}:/usr/bin:/bin`;
  return spawnSync(join(root, 'bin', 'satchel'), args, { env: { PATH }, encoding: 'utf8' });
}

it('starts the installed package with the Node that npm installed beside it, or else with a new enough one of the system', () => {
  writeNode('own', 'v20.20.2');
  expect(satchel()).toMatchObject({
    status: 1,
    stderr: 'Satchel needs Node 24 or later. Install it, or install the package without --omit=optional, which brings it.\n',
  });
  writeNode('own', 'v26.0.0');
  expect(satchel('serve').stdout).toMatch(/^own --max-semi-space-size=16 .*\/node_modules\/satchel\/dist\/src\/\S+\.js serve\n$/);
  writeNode('node_modules/.bin', 'v24.21.0');
  expect(satchel().stdout).toMatch(/^node_modules\/\.bin /);
});
