import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { reportPermissions } from '../../../src/core/lightning/lnd/permissions.ts';
import { LndTransport } from '../../../src/core/lightning/lnd/transport.ts';
import { parseLndUrl } from '../../../src/core/lightning/lnd/url.ts';
import { freePort } from '../../support/free-port.ts';

/*
 * A regtest network of btcd and LND nodes on loopback: hub — alice — carol. It runs the binaries that LND_BIN and BTCD_BIN name, in a
 * directory that the test provides. It builds nothing.
 */

export interface RegtestBinaries {
  readonly lnd: string;
  readonly btcd: string;
}

/** Returns the binaries that the environment names; undefined when it does not. */
export function regtestBinaries(env = process.env): RegtestBinaries | undefined {
  const { LND_BIN: lnd, BTCD_BIN: btcd } = env;
  return lnd && btcd ? { lnd, btcd } : undefined;
}

export const WITHOUT_BINARIES = 'LND_BIN and BTCD_BIN are not set';

const USER = ['--rpcuser=regtest', '--rpcpass=regtest'];
const CAPACITY_SAT = 16_000_000;
const PUSHED_SAT = 8_000_000;
/** Receives the first block, because btcd needs an address to mine. Its key is unknown. */
const NO_ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
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
class Program {
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

export class RegtestNetwork {
  readonly #directory: string;
  readonly #btcd: Program;
  readonly #btcdPort: number;
  readonly hub: RegtestLnd;
  readonly alice: RegtestLnd;
  readonly carol: RegtestLnd;

  /** Starts the network. It takes about 20 seconds. */
  static async start(binaries: RegtestBinaries, directory: string, { holdsKeysends = true } = {}): Promise<RegtestNetwork> {
    const ports = [];
    for (let i = 0; i < 10; i++) ports.push(await freePort());
    const network = new RegtestNetwork(binaries, directory, ports, holdsKeysends);
    try {
      await network.#start();
      return network;
    } catch (error) {
      await network.stop();
      throw error;
    }
  }

  private constructor(binaries: RegtestBinaries, directory: string, ports: number[], holdsKeysends: boolean) {
    this.#directory = directory;
    mkdirSync(join(directory, 'btcd'), { recursive: true, mode: 0o700 });
    const nextPort = () => ports.pop() ?? 0;
    this.#btcdPort = nextPort();
    const btcdArgs = [
      ...['--regtest', '--configfile=/dev/null', `--datadir=${directory}/btcd/data`, `--logdir=${directory}/btcd/logs`],
      ...[`--rpclisten=127.0.0.1:${this.#btcdPort}`, ...USER, `--rpccert=${directory}/btcd/rpc.cert`, `--rpckey=${directory}/btcd/rpc.key`],
      ...['--rpcmaxclients=100', '--rpcmaxwebsockets=100', '--nolisten', '--nodnsseed', '--txindex', `--miningaddr=${NO_ADDRESS}`],
    ];
    this.#btcd = new Program(binaries.btcd, btcdArgs, join(directory, 'btcd.log'));
    const node = (name: string, more: readonly string[]) => {
      const [rest, peer, rpc] = [nextPort(), nextPort(), nextPort()];
      const program = (folder: string) =>
        new Program(binaries.lnd, this.#lndArgs(folder, name, { rest, peer, rpc }, more), `${folder}.log`);
      return new RegtestLnd(name, join(directory, name), { rest, peer }, program);
    };
    this.hub = node('hub', ['--store-final-htlc-resolutions', ...(holdsKeysends ? ['--keysend-hold-time=15s'] : [])]);
    this.alice = node('alice', []);
    this.carol = node('carol', []);
  }

  #lndArgs(folder: string, alias: string, ports: { rest: number; peer: number; rpc: number }, more: readonly string[]): string[] {
    const btcd = [`--btcd.rpchost=127.0.0.1:${this.#btcdPort}`, '--btcd.rpcuser=regtest', '--btcd.rpcpass=regtest'];
    return [
      ...[`--lnddir=${folder}`, `--configfile=${folder}/lnd.conf`, '--noseedbackup', '--nobootstrap', `--alias=${alias}`],
      ...['--bitcoin.regtest', '--bitcoin.node=btcd', ...btcd, `--btcd.rpccert=${this.#directory}/btcd/rpc.cert`],
      ...[`--listen=127.0.0.1:${ports.peer}`, `--rpclisten=127.0.0.1:${ports.rpc}`, `--restlisten=127.0.0.1:${ports.rest}`],
      ...[
        '--accept-keysend',
        '--trickledelay=50',
        '--gossip.sub-batch-delay=5ms',
        '--bitcoin.defaultchanconfs=1',
        '--maxpendingchannels=5',
      ],
      ...more,
    ];
  }

  get nodes(): readonly [RegtestLnd, RegtestLnd, RegtestLnd] {
    return [this.hub, this.alice, this.carol];
  }

  async mine(blocks: number): Promise<void> {
    await this.#btcdCall('generate', [blocks]);
  }

  /** Stops all programs that it started. */
  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop('SIGINT')));
    await this.#btcd.stop('SIGINT');
  }

  async #start(): Promise<void> {
    this.#btcd.start();
    await this.#waitForBtcd();
    await this.#startNodes();
    const { address } = await this.hub.call<{ address: string }>('GET', '/v1/newaddress?type=WITNESS_PUBKEY_HASH');
    await this.#mineTo(address);
    await this.#fundOthers();
    await this.#openChannels();
  }

  async #startNodes(): Promise<void> {
    for (const node of this.nodes) node.start();
    for (const node of this.nodes) await until(`${node.name} answers`, async () => Boolean(await node.call('GET', '/v1/getinfo')));
  }

  /**
   * btcd deletes its regtest chain at every start. The nodes know only its first block until then. They are stopped meanwhile, because LND does not
   * always connect again.
   */
  async #mineTo(address: string): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop('SIGINT')));
    await this.#btcd.stop('SIGINT');
    this.#btcd.args = this.#btcd.args.map((arg) => (arg.startsWith('--miningaddr=') ? `--miningaddr=${address}` : arg));
    this.#btcd.start();
    await this.#waitForBtcd();
    await this.#startNodes();
    await this.mine(120);
    await this.#synced(120);
    // LND's wallet reads the height that makes coins spendable from the announcement of a block.
    await this.mine(1);
    await this.#synced(121);
    await this.#funded(this.hub, 1_000_000_000);
  }

  async #fundOthers(): Promise<void> {
    for (const node of [this.alice, this.carol]) {
      const { address } = await node.call<{ address: string }>('GET', '/v1/newaddress?type=WITNESS_PUBKEY_HASH');
      await this.hub.call('POST', '/v1/transactions', { addr: address, amount: '200000000', sat_per_vbyte: '2' });
    }
    await this.mine(1);
    await this.#synced(122);
    for (const node of this.nodes) {
      await this.#funded(node, 200_000_000);
      node.pubkey = (await node.call<{ identity_pubkey: string }>('GET', '/v1/getinfo')).identity_pubkey;
    }
  }

  /** Opens a channel and waits until both nodes can use it. */
  async openChannel(from: RegtestLnd, to: RegtestLnd): Promise<void> {
    const active = async (node: RegtestLnd) =>
      Number((await node.call<{ num_active_channels: number }>('GET', '/v1/getinfo')).num_active_channels);
    const before = [await active(from), await active(to)] as const;
    await this.#requestChannel(from, to);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await this.mine(6);
    await from.waitUntilActive(before[0] + 1);
    await to.waitUntilActive(before[1] + 1);
  }

  async #requestChannel(from: RegtestLnd, to: RegtestLnd): Promise<void> {
    const addr = { pubkey: to.pubkey, host: `127.0.0.1:${to.peerPort}` };
    // Fails if they are connected.
    await from.call('POST', '/v1/peers', { addr, perm: true }).catch(() => undefined);
    await until(`a channel from ${from.name} to ${to.name}`, async () => {
      const amounts = { local_funding_amount: String(CAPACITY_SAT), push_sat: String(PUSHED_SAT) };
      await from.call('POST', '/v1/channels', { node_pubkey: Buffer.from(to.pubkey, 'hex').toString('base64'), ...amounts });
      return true;
    });
  }

  async #openChannels(): Promise<void> {
    await this.#requestChannel(this.hub, this.alice);
    await this.#requestChannel(this.alice, this.carol);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await this.mine(6);
    for (const node of this.nodes) {
      await node.waitUntilActive(node === this.alice ? 2 : 1);
      await until(`${node.name} knows both channels`, async () => {
        const graph = await node.call<{ edges: { node1_policy: unknown; node2_policy: unknown }[] }>('GET', '/v1/graph');
        return graph.edges.filter((edge) => edge.node1_policy && edge.node2_policy).length >= 2;
      });
    }
  }

  async #synced(height: number): Promise<void> {
    for (const node of this.nodes) {
      await until(`${node.name} is at block ${height}`, async () => {
        const info = await node.call<{ synced_to_chain: boolean; block_height: number }>('GET', '/v1/getinfo');
        return info.synced_to_chain && info.block_height >= height;
      });
    }
  }

  async #funded(node: RegtestLnd, atLeastSat: number): Promise<void> {
    await until(`${node.name} has coins`, async () => {
      const { confirmed_balance } = await node.call<{ confirmed_balance: string }>('GET', '/v1/balance/blockchain');
      return Number(confirmed_balance) >= atLeastSat;
    });
  }

  #waitForBtcd(): Promise<void> {
    return until('btcd answers', async () => {
      await this.#btcdCall('getblockcount', []);
      return true;
    });
  }

  async #btcdCall(method: string, params: readonly unknown[]): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const call = request(
      {
        host: '127.0.0.1',
        port: this.#btcdPort,
        method: 'POST',
        ca: readFileSync(join(this.#directory, 'btcd', 'rpc.cert')),
        auth: 'regtest:regtest',
        headers: { 'content-type': 'application/json' },
      },
      async (response) => {
        let text = '';
        for await (const chunk of response) text += chunk;
        resolve(text);
      },
    );
    call.on('error', reject);
    call.end(JSON.stringify({ jsonrpc: '1.0', id: 1, method, params }));
    const { result, error } = JSON.parse(await promise) as { result: unknown; error: { message: string } | null };
    if (error) throw new Error(error.message);
    return result;
  }
}
