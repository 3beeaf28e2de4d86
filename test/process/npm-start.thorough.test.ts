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

describe('npm start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-npm-'));
  const started: ChildProcess[] = [];
  afterAll(() => {
    // The signal reaches the whole group: npm, its shell and node.
    for (const { pid } of started) if (pid !== undefined) signalGroup(pid, 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ['SIGTERM', 'npm', (pid: number) => process.kill(pid, 'SIGTERM')],
    ['SIGINT', 'npm', (pid: number) => process.kill(pid, 'SIGINT')],
    ['SIGTERM', 'every process of the group, as a service manager does', (pid: number) => signalGroup(pid, 'SIGTERM')],
    ['SIGINT', 'every process of the group, as a terminal does', (pid: number) => signalGroup(pid, 'SIGINT')],
  ])('stops gracefully on %s to %s', async (signal, _to, send) => {
    const dataDir = mkdtempSync(join(folder, 'data-'));
    const databaseUrl = `sqlite:${join(dataDir, 'satchel.db')}`;
    const settings: Record<string, string> = { ...(await processSettings(dataDir, databaseUrl)), LIGHTNING_URL: 'fake:?seed=1' };
    // The dependencies are installed. Nothing may install them in the middle of the tests.
    const npm = spawn('npm', ['start', '--ignore-scripts'], {
      cwd: root,
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    started.push(npm);
    let printed = '';
    npm.stdout.on('data', (text) => (printed += text));
    npm.stderr.on('data', (text) => (printed += text));
    const closed = once(npm, 'close');
    await expect.poll(() => printed).toContain('Satchel is ready');
    send(npm.pid ?? 0);
    // The output closes when the last process that writes to it has ended.
    const [code] = await closed;
    expect(printed).toContain(`${signal}: finishing what is running`);
    expect(code).toBe(0);
    await expect(fetch(`http://127.0.0.1:${settings.PORT}/healthz`)).rejects.toThrow();
    await (await openDatabase(databaseUrl, { log: silentLog })).close();
  });
});

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The process has already ended.
  }
}
