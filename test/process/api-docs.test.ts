import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { processSettings, startProcess } from '../support/process.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'api.md'), 'utf8');

/** A block of commands, and what the page says that they print. */
interface Example {
  readonly commands: string;
  readonly prints: readonly string[];
}

/** The commands of the page in its order, each with the block of output that follows it, if one does. */
function examples(): Example[] {
  return [...page.matchAll(/```sh\n([\s\S]*?)```\n(?:\n```\n([\s\S]*?)```\n)?/g)].map(([, commands = '', output = '']) => ({
    commands,
    prints: linesOf(output),
  }));
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

it('the commands of docs/api.md work when they are pasted, and print what the page says', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-api-docs-'));
  const service = await startProcess(await processSettings(folder, `sqlite:${join(folder, 'satchel.db')}`));
  try {
    const all = examples();
    const pasted = all.map(({ commands }) => `${commands}\necho '=== end of block'\n`).join('');
    const env = { ...process.env, KEY: service.client.secretKey, URL: service.client.url };
    const { stdout } = await promisify(execFile)('bash', ['-c', pasted], { env, cwd: folder });
    const said = stdout.split('=== end of block\n').map(linesOf);
    expect(all.filter(({ prints }) => prints.length > 0).length).toBeGreaterThan(15);
    for (const [i, { commands, prints }] of all.entries())
      expect([commands, said[i]]).toEqual([commands, prints.map((line) => expect.stringMatching(pattern(line)))]);
  } finally {
    await service.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});
