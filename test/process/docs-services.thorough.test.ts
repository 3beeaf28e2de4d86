import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { runVerify } from '../support/process.ts';

const root = join(import.meta.dirname, '..', '..');

/** Runs the commands of the clone in the folder of the test, so that its data is there. */
const NPM = `npm() { case "$*" in start) exec node '${root}/src/main.ts' ;; esac; }; export -f npm`;

it('starts two services on one playground with the documented script, and one pays the other', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-services-'));
  mkdirSync(join(folder, 'bin'));
  symlinkSync(join(root, 'bin', 'satchel'), join(folder, 'bin', 'satchel'));
  const ports: Record<string, string> = {};
  for (const name of ['PLAYGROUND_PORT', 'BANK_PORT', 'SHOP_PORT']) ports[name] = String(await freePort());
  const script = spawn('bash', ['-c', `${NPM}; exec bash '${root}/docs/examples/two-services.sh'`], {
    cwd: folder,
    env: { ...process.env, ...ports },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const closed = once(script, 'close');
  try {
    let printed = '';
    for await (const chunk of script.stdout) {
      printed += chunk;
      if (printed.includes('ready:')) break;
    }
    expect(printed).toMatch(/^succeeded\npays till-\d+@localhost:\d+\n"fee_msat":1100\n"balance":1000\nready: /);
    for (const name of ['bank', 'shop']) expect((await runVerify({ DATA_DIR: join(folder, 'data', name) })).code).toBe(0);
    // The script stops what it has started.
    script.kill('SIGTERM');
    await closed;
  } finally {
    if (script.pid !== undefined && script.exitCode === null && script.signalCode === null) process.kill(-script.pid, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});
