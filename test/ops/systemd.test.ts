import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';

const ops = join(import.meta.dirname, '..', '..', 'ops', 'systemd');
const unit = join(ops, 'satchel.service');
const folder = mkdtempSync(join(tmpdir(), 'satchel-systemd-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a check of systemd, which needs no running systemd. */
function analyze(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

it.skipIf(!hasSystemd)('ships a systemd unit that is valid and exposed to at most 2.0 of 10 (needs systemd-analyze)', () => {
  const copy = join(folder, 'satchel.service');
  // The program of the unit is not installed on this machine.
  writeFileSync(copy, readFileSync(unit, 'utf8').replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'));
  expect(analyze('verify', '--recursive-errors=no', copy)).toEqual({ status: 0, output: '' });
  const { output } = analyze('security', '--offline=true', copy);
  expect(Number(/Overall exposure level for satchel\.service: ([\d.]+)/.exec(output)?.[1])).toBeLessThanOrEqual(2);
});

it('passes secrets to the unit as files only', () => {
  const text = readFileSync(unit, 'utf8');
  const settings = [...text.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = '']) => line.split(' '));
  const env = Object.fromEntries(settings.map((setting) => setting.split('=') as [string, string]));
  writeFileSync(join(folder, 'secret-key'), 'ab'.repeat(32));
  writeFileSync(join(folder, 'lightning-url'), 'fake:?seed=1');
  const loaded = [...text.matchAll(/^LoadCredential=([\w-]+):/gm)].map(([, name]) => name);
  expect(loaded).toEqual(['secret-key', 'lightning-url']);
  const config = readConfig(Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replace('%d', folder)])));
  expect(config).toMatchObject({ dataDir: '/var/lib/satchel', lightningUrls: ['fake:?seed=1'], secretKey: expect.any(Uint8Array) });
});

it('runs commands with the user, the folders, the secrets and the settings of the unit', () => {
  const service = readFileSync(unit, 'utf8');
  const command = readFileSync(join(ops, 'satchel'), 'utf8');
  const shared = /^(?:DynamicUser|UMask|StateDirectory|StateDirectoryMode|WorkingDirectory|EnvironmentFile|LoadCredential)=\S+$/gm;
  const properties = [...service.matchAll(shared)].map(([line]) => line);
  expect(properties).toHaveLength(8);
  const passed = [...command.matchAll(/--property=(\S+)/g)].map(([, property]) => property);
  // The unit's own name is the name of its dynamic user.
  expect(passed.toSorted()).toEqual([...properties, 'User=satchel'].toSorted());
  const folders = /\b(?:DATA_DIR|BACKUP_DIR)=\S+/g;
  expect(command.match(folders)?.toSorted()).toEqual(service.match(folders)?.toSorted());
  const secrets = [...service.matchAll(/(\w+_FILE)=%d\/(\S+)/g)].map(([, name, file]) => `${name}=$PWD/${file}`);
  expect(secrets).toHaveLength(2);
  for (const secret of secrets) expect(command).toContain(secret);
  expect(/^ExecStart=(\S+)$/m.exec(service)?.[1]).toBe(/exec (\S+) "\$@"' satchel/.exec(command)?.[1]);
});
