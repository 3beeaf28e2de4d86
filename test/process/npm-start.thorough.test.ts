import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/core/db/open.ts';
import { silentLog } from '../support/ledger.ts';
import { processSettings } from '../support/process.ts';

const root = join(import.meta.dirname, '..', '..');

describe('the service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-npm-'));
  const started: ChildProcess[] = [];
  afterAll(() => {
    // The signal reaches the whole group: npm, its shell and node.
    for (const { pid } of started) if (pid !== undefined) signalGroup(pid, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(command: string, ...args: string[]) {
    const dataDir = mkdtempSync(join(folder, 'data-'));
    const databaseUrl = `sqlite:${join(dataDir, 'satchel.db')}`;
    const settings: Record<string, string> = { ...(await processSettings(dataDir, databaseUrl)), LIGHTNING_URL: 'fake:?seed=1' };
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    started.push(child);
    let printed = '';
    child.stdout.on('data', (text) => (printed += text));
    child.stderr.on('data', (text) => (printed += text));
    const closed = once(child, 'close');
    await expect.poll(() => printed).toContain('Satchel is ready');
    return {
      pid: child.pid ?? 0,
      /** Waits for the end of the service. The output closes when the last process that writes to it has ended. */
      async hasStopped(signal: string) {
        const [code] = await closed;
        expect(printed).toContain(`${signal}: finishing what is running`);
        expect(code).toBe(0);
        await expect(fetch(`http://127.0.0.1:${settings.PORT}/healthz`)).rejects.toThrow();
        await (await openDatabase(databaseUrl, { log: silentLog })).close();
      },
    };
  }

  it.each(['SIGTERM', 'SIGINT'] as const)('stops gracefully on %s to bin/satchel, which every service manager can send', async (signal) => {
    const service = await start(join(root, 'bin', 'satchel'));
    process.kill(service.pid, signal);
    await service.hasStopped(signal);
  });

  // npm 9 and older versions do not forward a signal that only they get.
  it.each([
    ['SIGTERM', 'npm', (pid: number) => process.kill(pid, 'SIGTERM')],
    ['SIGINT', 'npm', (pid: number) => process.kill(pid, 'SIGINT')],
    ['SIGTERM', 'every process of the group, as a service manager does', (pid: number) => signalGroup(pid, 'SIGTERM')],
    ['SIGINT', 'every process of the group, as a terminal does', (pid: number) => signalGroup(pid, 'SIGINT')],
  ])('stops gracefully on %s to %s', async (signal, _to, send) => {
    // The dependencies are installed. Nothing may install them in the middle of the tests.
    const service = await start('npm', 'start', '--ignore-scripts');
    send(service.pid);
    await service.hasStopped(signal);
  });
});

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The process has already ended.
  }
}
