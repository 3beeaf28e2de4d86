import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { runVerify } from '../support/process.ts';

const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'satchel-services-'));
const groups: number[] = [];
afterAll(() => {
  vi.unstubAllEnvs();
  for (const pid of groups) process.kill(-pid, 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the commands of the clone in the folder of the test, so that its data is there. */
const NPM = `npm() { case "$*" in start) node '${root}/src/main.ts' ;; 'run playground') node '${root}/src/cli/playground.ts' ;; esac; }\n`;

/** Starts a documented command and waits until it prints that it is ready. */
async function start(commands: string): Promise<void> {
  const child = spawn('bash', ['-c', NPM + commands], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  groups.push(child.pid ?? 0);
  let printed = '';
  for await (const chunk of child.stdout) {
    printed += chunk;
    if (/is ready/.test(printed)) break;
  }
  expect(printed).toMatch(/is ready/);
}

it('starts two services on one playground with the documented commands, and one pays the other', async () => {
  const page = readFileSync(join(root, 'docs', 'configuration.md'), 'utf8');
  const section = /## Several services on one playground\n([\s\S]*?)\n## /.exec(page)?.[1] ?? '';
  const ports: Record<string, string> = {};
  for (const port of ['4021', '4022', '4031']) ports[port] = String(await freePort());
  vi.stubEnv('PLAYGROUND_PORT', ports['4022']);
  const texts = [...section.matchAll(/```(?:sh)?\n([\s\S]*?)```/g)].map(([, text = '']) => text);
  const blocks = texts.map((text) => text.replace(/4021|4022|4031/g, (port) => ports[port] ?? ''));
  expect(blocks).toHaveLength(5);
  const [playground = '', bank = '', shop = '', commands = '', output = ''] = blocks;
  for (const starting of [playground, bank, shop]) await start(starting);
  const pasting = spawn('bash', ['-c', commands], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  pasting.stdout.on('data', (text) => (printed += text));
  await once(pasting, 'close');
  const pattern = output.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*');
  expect(printed).toMatch(new RegExp(`^${pattern}$`));
  for (const name of ['bank', 'shop']) expect((await runVerify({ DATA_DIR: join(folder, 'data', name) })).code).toBe(0);
});
