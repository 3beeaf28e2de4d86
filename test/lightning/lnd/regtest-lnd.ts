import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { reportPermissions } from '../../../src/core/lightning/lnd/permissions.ts';
import { LndTransport } from '../../../src/core/lightning/lnd/transport.ts';
import { parseLndUrl } from '../../../src/core/lightning/lnd/url.ts';

const ADMIN_MACAROON = 'data/chain/bitcoin/regtest/admin.macaroon';
const START_MS = 120_000;

/** Repeats a check until it returns true. An error counts as false. */
export async function until(what: string, check: () => Promise<boolean>, timeoutMs = START_MS): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  let problem = '';
  while (Date.now() < deadline) {
    try {
      if (await check()) return;
    } catch (error) {
      problem = String(error);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`waited too long: ${what} ${problem}`);
}

/** A program that can be killed and started again with the same arguments. */
export class Program {
  readonly #command: string;
  readonly #log: string;
  args: readonly string[];
  #child: ChildProcess | undefined;

  constructor(command: string, args: readonly string[], log: string) {
    this.#command = command;
    this.args = args;
    this.#log = log;
  }

  start(): void {
    const log = openSync(this.#log, 'a', 0o600);
    this.#child = spawn(this.#command, [...this.args], { stdio: ['ignore', log, log] });
    closeSync(log);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async stop(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    // A program that is being debugged or is stopped ends only with SIGKILL.
    const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
    await ended;
    clearTimeout(timer);
  }
}

/** One LND node of the network. */
export class RegtestLnd {
  readonly name: string;
  readonly directory: string;
  readonly restPort: number;
  readonly peerPort: number;
  pubkey = '';
  readonly #program: Program;
  #transport: LndTransport | undefined;

  constructor(name: string, directory: string, ports: { rest: number; peer: number }, program: (directory: string) => Program) {
    this.name = name;
    this.directory = directory;
    this.restPort = ports.rest;
    this.peerPort = ports.peer;
    this.#program = program(directory);
  }

  /** The URL for LIGHTNING_URL. */
  url(macaroon = ADMIN_MACAROON, parameters = '&keysends=held'): string {
    const cert = join(this.directory, 'tls.cert');
    return `lnd+rest://127.0.0.1:${this.restPort}?cert=${cert}&macaroon=${join(this.directory, macaroon)}${parameters}`;
  }

  /** Calls the node as its administrator. */
  call<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
    this.#transport ??= new LndTransport(parseLndUrl(this.url()));
    return this.#transport.call<T>({ method, path, body, timeoutMs: 60_000 });
  }

  /** Streams as its administrator, until the signal aborts. */
  stream<T>(method: 'GET' | 'POST', path: string, body: object | undefined, signal: AbortSignal): AsyncGenerator<T, void> {
    this.#transport ??= new LndTransport(parseLndUrl(this.url()));
    return this.#transport.stream<T>({ method, path, body }, signal);
  }

  /** Sends a request that the service never sends, and returns the first line of the response. */
  async firstMessage(method: 'DELETE', path: string): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const call = request(
      {
        ...{ host: '127.0.0.1', port: this.restPort, method, path, ca: readFileSync(join(this.directory, 'tls.cert')) },
        headers: { 'grpc-metadata-macaroon': readFileSync(join(this.directory, ADMIN_MACAROON)).toString('hex') },
      },
      (response) => {
        response.once('data', (data: Buffer) => {
          if (response.statusCode === 200) resolve(data.toString());
          else reject(new Error(data.toString()));
          response.destroy();
        });
      },
    );
    call.on('error', reject);
    call.end();
    return promise;
  }

  start(): void {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 });
    writeFileSync(join(this.directory, 'lnd.conf'), '');
    this.#program.start();
  }

  /** Stops the node: SIGINT lets it finish, SIGKILL does not. */
  async stop(signal: NodeJS.Signals): Promise<void> {
    this.#transport?.close();
    this.#transport = undefined;
    await this.#program.stop(signal);
  }

  /** Freezes the node (SIGSTOP) or lets it continue (SIGCONT). */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#program.signal(signal);
  }

  async waitUntilActive(channels: number): Promise<void> {
    await until(`${this.name} is active`, async () => {
      const { state } = await this.call<{ state: string }>('GET', '/v1/state');
      const info = await this.call<{ num_active_channels: number }>('GET', '/v1/getinfo');
      return state === 'SERVER_ACTIVE' && info.num_active_channels >= channels;
    });
  }

  /** Stops the node and starts it again. */
  async restart(signal: NodeJS.Signals, channels: number): Promise<void> {
    await this.stop(signal);
    this.start();
    await this.waitUntilActive(channels);
  }

  /** Creates a macaroon with the permissions that the service needs, and returns its file in the node's directory. */
  async bakeMacaroon(holdsKeysends = true): Promise<string> {
    const admin = readFileSync(join(this.directory, ADMIN_MACAROON));
    const { command } = reportPermissions(admin, holdsKeysends);
    const permissions = Array.from(command.matchAll(/uri:(\S+)/g), ([, action]) => ({ entity: 'uri', action }));
    const { macaroon } = await this.call<{ macaroon: string }>('POST', '/v1/macaroon', { permissions });
    writeFileSync(join(this.directory, 'satchel.macaroon'), Buffer.from(macaroon, 'hex'));
    return 'satchel.macaroon';
  }
}
