import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach } from 'vitest';
import { openSharedPlayground, type SharedPlaygroundOptions } from '../../../../devnet/playground/client.ts';
import type { TestNetwork } from '../../../../devnet/test-network.ts';
import { programOf } from '../../../support/programs.ts';
import { collectLog } from './open.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');

/** Returns a function that opens clients; they are closed after the test. */
export function clientsOfEachTest(): (url: string, options?: Partial<SharedPlaygroundOptions>) => TestNetwork {
  const open: TestNetwork[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map(({ node }) => node.close()));
  });
  return (url, options) => {
    const playground = openSharedPlayground({ url, log: collectLog(), ...options });
    open.push(playground);
    return playground;
  };
}

export interface Child {
  readonly process: ChildProcess;
  /** Resolves with the first line of its output that matches. */
  line(fits: RegExp): Promise<RegExpExecArray>;
  /** Sends a signal and returns the exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts a script in a Node process, which is killed after the test file. */
export function startChild(script: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Child {
  return startCommand(process.execPath, [programOf(script), ...args], env);
}

/** Starts another program in the same way. */
export function startCommand(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Child {
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let isOver = false;
  // The last lines of its output may arrive after its exit.
  const closed = once(child, 'close').then(() => {
    isOver = true;
  });
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line);
    child.emit('said');
  });
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return (await exited)[0] as number | null;
  };
  afterAll(() => end('SIGKILL'));
  return {
    process: child,
    end,
    async line(fits) {
      for (;;) {
        for (const line of lines) {
          const found = fits.exec(line);
          if (found) return found;
        }
        if (isOver) throw new Error(`the process ended; it had said: ${lines.join('\n')}`);
        await Promise.race([once(child, 'said'), closed]);
      }
    },
  };
}

/** Runs `satchel playground`, and returns its LIGHTNING_URL once it is ready. */
export async function startPlaygroundProcess(dataDir: string, port: number): Promise<Child & { readonly url: string }> {
  const child = startChild('src/cli/satchel.ts', ['playground'], { DATA_DIR: dataDir, PLAYGROUND_PORT: String(port), LOG_LEVEL: 'silent' });
  const [, url] = await child.line(/^LIGHTNING_URL='(.*)'$/);
  return { ...child, url: url as string };
}

/** Sends text to a server and returns everything it sends until it closes the connection. */
export async function responseTo(port: number, text: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => {});
  socket.write(text);
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk;
  });
  await once(socket, 'close');
  return received;
}

/** Starts a server that behaves as a real playground never should. It is closed after the test file. */
export async function fakeServer(handler: RequestListener, wantedPort = 0): Promise<{ server: Server; url: string }> {
  const server = createServer(handler);
  server.listen(wantedPort, '127.0.0.1');
  await once(server, 'listening');
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as { port: number };
  return { server, url: `playground://127.0.0.1:${port}?secret=any` };
}

/** Sends the response of a playground whose hub has this public key. */
export function respond(response: ServerResponse, value: unknown, hub = '02aa'): void {
  response.setHeader('playground-hub', hub).end(JSON.stringify({ value }));
}
