import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, clientOf } from './client.ts';
import { freePort } from './free-port.ts';
import { programOf } from './programs.ts';

const root = join(import.meta.dirname, '..', '..');

/*
 * The service as a child process that can be killed: for tests of starts, stops and crashes. Such files are named *.thorough.test.ts.
 *
 *   const urls = freshUrls('postgres');
 *   it('keeps balances when it is killed', async () => {
 *     const settings = await processSettings(dataDir, await urls());
 *     const first = await startProcess(settings);
 *     const wallet = await first.client.wallet(1000);
 *     await first.kill();
 *     const second = await startProcess(settings);
 *     expect((await second.client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(1000);
 *     expect((await runVerify(settings)).code).toBe(0);
 *     await second.stop();
 *   });
 */

/** A running service process. */
export interface ServiceProcess {
  readonly client: Client;
  readonly pid: number;
  /** Resolves when the process has ended. */
  readonly dead: Promise<void>;
  /** Returns the output so far. */
  output(): string;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  /** Sends SIGTERM and returns the exit code. */
  stop(): Promise<number | null>;
  /** Sends a message to the entry file and returns its next message; undefined when the process ends first. */
  send(message: object): Promise<unknown>;
}

/** Returns settings with which the service can be started again on the same data and port. */
export async function processSettings(dataDir: string, databaseUrl: string): Promise<Record<string, string>> {
  const port = String(await freePort());
  return { DATA_DIR: dataDir, DATABASE_URL: databaseUrl, PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}`, LOG_LEVEL: 'warn' };
}

export async function startProcess(settings: Record<string, string>, entry = 'src/main.ts'): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [programOf(entry)], {
    cwd: root,
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const dead = once(child, 'exit').then(() => undefined);
  const closed = once(child, 'close');
  let printed = '';
  child.stdout?.on('data', (text) => (printed += text));
  child.stderr?.on('data', (text) => (printed += text));
  const url = `http://127.0.0.1:${settings.PORT}`;
  if (!(await isReady(url, child, () => printed))) {
    // Output may arrive after the exit.
    await closed;
    throw new Error(`the service ended before it was ready (${child.signalCode ?? `exit code ${child.exitCode}`}):\n${printed}`);
  }
  const [secretKey = '', publicKey = ''] = keysOf(settings);
  const end = async (signal: NodeJS.Signals) => {
    const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : Promise.resolve([child.exitCode]);
    child.kill(signal);
    return (await exited)[0] as number | null;
  };
  return {
    client: clientOf(url, secretKey, publicKey),
    pid: child.pid ?? 0,
    output: () => printed,
    dead,
    async send(message) {
      const response = once(child, 'message').then(([said]) => said);
      // The exit reports a child that has just ended.
      child.send(message, () => undefined);
      return Promise.race([response, dead]);
    },
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  };
}

function keysOf(settings: Record<string, string>): string[] {
  const given = settings.BOOTSTRAP_SECRET_KEY;
  return given ? [given] : readFileSync(join(settings.DATA_DIR ?? '', 'first-key'), 'utf8').split('\n');
}

/** Waits until the service is ready. Returns false when it ended before. */
async function isReady(url: string, child: ChildProcess, printed: () => string): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    const ready = /Satchel (is ready|waits)/.test(printed()) && (await fetch(`${url}/readyz`).catch(() => undefined))?.ok;
    if (ready) return true;
    await delay(20);
  }
  return false;
}

/** Runs `satchel verify` and returns its exit code and output. */
export function runVerify(settings: Record<string, string>): Promise<{ code: number | null; output: string }> {
  return runSatchel(['verify'], settings);
}

/** Returns the settings with which a command calls the service. */
export function commandSettings({ url, secretKey }: Client): Record<string, string> {
  return { PORT: new URL(url).port, OPERATOR_KEY: secretKey, DATA_DIR: '/nowhere/at/all' };
}

/** Runs `satchel` with arguments, without a terminal. Returns its exit code, all output, and standard output alone. */
export async function runSatchel(
  args: readonly string[],
  settings: Record<string, string>,
  input = '',
): Promise<{ code: number | null; output: string; stdout: string }> {
  const child = spawn(process.execPath, [programOf('src/cli/satchel.ts'), ...args], { cwd: root, env: { ...process.env, ...settings } });
  child.stdin.end(input);
  let output = '';
  let stdout = '';
  child.stdout.on('data', (text) => {
    output += text;
    stdout += text;
  });
  child.stderr.on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  return { code, output, stdout };
}
