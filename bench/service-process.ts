import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '../test/support/free-port.ts';

const MB = 1_000_000;
const execute = promisify(execFile);

const root = join(import.meta.dirname, '..');

/** The service in another process, with the fake node. Disposing kills it. */
export interface ServiceProcess extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly pid: number;
}

/** Starts the service of a clone, by default this one, with the Node flags of `npm start`, and waits until it is ready. */
export async function startService(settings: Record<string, string>, clone = root): Promise<ServiceProcess> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  // Otherwise browsers at 127.0.0.1 are sent to localhost.
  const fixed = { PORT: String(port), PUBLIC_URL: url, LIGHTNING_URL: 'fake:', LOG_LEVEL: 'silent', PROOF_INTERVAL_SECONDS: '0' };
  const env = { ...process.env, ...fixed, ...settings };
  const child = spawn(process.execPath, [...startFlags(), 'src/main.ts'], { cwd: clone, env, stdio: 'ignore' });
  const stop = async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  try {
    await untilReady(url);
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, url, pid: child.pid ?? 0, [Symbol.asyncDispose]: stop };
}

function startFlags(): string[] {
  const [, flags = ''] = /exec "\$node" (.*) "\$main"/.exec(readFileSync(join(root, 'bin', 'satchel'), 'utf8')) ?? [];
  return flags.split(' ');
}

async function untilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const isReady = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await delay(100);
  }
  throw new Error('the service did not start');
}

/** Returns the resident memory of a process in MB. */
export async function residentMb(pid: number): Promise<number> {
  const { stdout } = await execute('ps', ['-o', 'rss=', '-p', String(pid)]);
  return (Number(stdout) * 1024) / MB;
}
