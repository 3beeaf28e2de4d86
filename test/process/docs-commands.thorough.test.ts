import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { processSettings, startProcess } from '../support/process.ts';

const root = join(import.meta.dirname, '..', '..');

/** A block of commands, and the output that the page shows for them. */
interface Example {
  readonly commands: string;
  readonly prints: readonly string[];
}

/** Returns the page's commands in order, each with the block of output that follows it. The service itself is started by the test. */
function examplesIn(file: string): Example[] {
  const blocks = readFileSync(join(root, file), 'utf8').matchAll(/```sh\n([\s\S]*?)```\n(?:\n```\n([\s\S]*?)```\n)?/g);
  return [...blocks]
    .map(([, commands = '', output = '']) => ({ commands, prints: linesOf(output) }))
    .filter(({ commands }) => !/^(\w+=\S+ )?npm start/.test(commands));
}

const linesOf = (text: string) => text.split(/\r?\n/).filter((line) => line.trim() !== '');

/** `…` stands for anything. */
const pattern = (line: string) =>
  new RegExp(
    `^${line
      .split('…')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  );

it.each([
  { file: 'README.md', outputs: 1 },
  { file: 'docs/api.md', outputs: 12 },
  { file: 'docs/keys.md', outputs: 3 },
  { file: 'docs/lnurl.md', outputs: 6 },
])('runs the pasted commands of $file, and prints the output that the page shows', async ({ file, outputs }) => {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-docs-'));
  const settings = await processSettings(folder, `sqlite:${join(folder, 'satchel.db')}`);
  const service = await startProcess(settings);
  try {
    const all = examplesIn(file);
    const pasted = all.map(({ commands }) => `${commands}\necho '=== end of block'\n`).join('');
    const { secretKey: KEY, url: URL } = service.client;
    // Commands of the clone run on the service of the test, without the installation that precedes them.
    const env = { ...process.env, ...settings, KEY, URL, CLONE: root, npm_config_ignore_scripts: 'true' };
    const inClone = `npm() { (cd '${root}' && command npm "$@"); }\nsatchel() { '${root}/bin/satchel' "$@"; }\n`;
    const { stdout } = await promisify(execFile)('bash', ['-c', inClone + pasted], { env, cwd: folder });
    const printed = stdout.split('=== end of block\n').map(linesOf);
    expect(all.filter(({ prints }) => prints.length > 0).length).toBeGreaterThanOrEqual(outputs);
    for (const [i, { commands, prints }] of all.entries())
      expect([commands, printed[i]]).toEqual([commands, prints.map((line) => expect.stringMatching(pattern(line)))]);
  } finally {
    await service.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});
