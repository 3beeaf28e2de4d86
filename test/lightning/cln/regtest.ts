import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, createWriteStream, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SocketTransport } from '../../../src/core/lightning/cln/transport-socket.ts';
import { freePort } from '../../support/free-port.ts';
import { startSilentProxy } from '../../support/silent-proxy.ts';
import { BTCD_USER, btcdClient } from './btcd-client.ts';

/** The programs under test. Without them, tests on real nodes are skipped. */
export const { LIGHTNINGD_BIN, BTCD_BIN } = process.env;
export const canRunNodes = Boolean(LIGHTNINGD_BIN && BTCD_BIN);
export const WITHOUT_NODES = 'set LIGHTNINGD_BIN and BTCD_BIN to the programs lightningd and btcd';

const CLNREST = join(dirname(LIGHTNINGD_BIN ?? ''), '../libexec/c-lightning/plugins/clnrest');
/** Building clnrest is optional. */
export const hasClnrest = canRunNodes && existsSync(CLNREST);

export type RegtestNodeName = 'svc' | 'ext' | 'far';

/** A key that belongs to no node: the reward of the first block. */
const UNKNOWN_ADDRESS = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';
const CAPACITY_SAT = 16_000_000;
const PUSHED_SAT = 8_000_000;
const COINS_SAT = 200_000_000;
const START_MS = 90_000;

/** A lightningd of the network. */
export class RegtestNode {
  readonly name: RegtestNodeName;
  readonly dir: string;
  readonly port: number;
  readonly restPort: number;
  readonly #plugin: string;
  #process: ChildProcess | undefined;
  #transport: SocketTransport;

  constructor(options: { name: RegtestNodeName; dir: string; port: number; restPort: number; plugin: string }) {
    this.name = options.name;
    this.dir = options.dir;
    this.port = options.port;
    this.restPort = options.restPort;
    this.#plugin = options.plugin;
    this.#transport = new SocketTransport(this.socket);
  }

  get socket(): string {
    return join(this.dir, 'regtest', 'lightning-rpc');
  }

  get pid(): number {
    if (this.#process?.pid === undefined) throw new Error(`${this.name} is not running`);
    return this.#process.pid;
  }

  async rpc<T = Record<string, unknown>>(method: string, params: object = {}, timeoutMs = 120_000): Promise<T> {
    return (await this.#transport.call(method, params, AbortSignal.timeout(timeoutMs))) as T;
  }

  async start(): Promise<void> {
    mkdirSync(this.dir, { recursive: true });
    const at = `127.0.0.1:${this.port}`;
    const fast = ['--developer', '--dev-bitcoind-poll=1', '--dev-fast-gossip'];
    const files = [`--lightning-dir=${this.dir}`, `--log-file=${join(this.dir, 'log')}`, '--log-level=debug'];
    const peers = [`--bind-addr=${at}`, `--announce-addr=${at}`, '--autoconnect-seeker-peers=0'];
    const plugins = ['--disable-plugin=bcli', '--disable-plugin=offers', '--disable-plugin=cln-grpc', `--plugin=${this.#plugin}`];
    const rest = hasClnrest ? [`--plugin=${CLNREST}`, '--clnrest-host=127.0.0.1', `--clnrest-port=${this.restPort}`] : [];
    const all = ['--network=regtest', `--alias=${this.name}`, ...fast, ...files, ...peers, ...plugins, ...rest];
    this.#process = run(LIGHTNINGD_BIN, all, this.dir);
    await until(`the RPC of ${this.name}`, () => this.rpc('getinfo').then(() => true));
  }

  /** Returns the URL for LIGHTNING_URL. */
  socketUrl(): string {
    return `cln+unix://${this.socket}`;
  }

  /** Returns the URL of clnrest, with a rune that permits only these methods. */
  async restUrl(methods: readonly string[]): Promise<string> {
    const { rune } = await this.rpc<{ rune: string }>('createrune', { restrictions: [methods.map((method) => `method=${method}`)] });
    return `cln+rest://127.0.0.1:${this.restPort}?cert=${join(this.dir, 'regtest', 'ca.pem')}&rune=${rune}`;
  }

  /** Ends the process and waits for its end. */
  async stop(signal: 'SIGKILL' | 'SIGTERM' = 'SIGTERM'): Promise<void> {
    await end(this.#process, signal);
    this.#process = undefined;
  }

  /** Stops or continues the process without ending it. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process?.kill(signal);
  }
}

export interface Regtest {
  /** `svc` has a channel to `ext`, which has one to `far`. Half of each capacity is on each side. */
  readonly nodes: Readonly<Record<RegtestNodeName, RegtestNode>>;
  /** Mines blocks, and waits until every node has read them whose chain is not silent. */
  mine(blocks: number): Promise<void>;
  /** Stops or starts to pass bytes between `svc` and btcd. Only with `isProxied`. */
  silenceChain(isSilent: boolean): void;
  /** Ends all processes and deletes all files. */
  stop(): Promise<void>;
}

/** Starts a network of btcd and three lightningd on loopback, in a temporary folder. Takes about half a minute. */
export async function startRegtest({ isProxied = false } = {}): Promise<Regtest> {
  const dir = mkdtempSync(join(tmpdir(), 'satchel-cln-regtest-'));
  const btcdPort = await freePort();
  const proxy = isProxied ? await startSilentProxy(btcdPort) : undefined;
  let isSvcSilent = false;
  const silenceChain = (isSilent: boolean) => {
    isSvcSilent = isSilent;
    if (isSilent) proxy?.silence();
    else proxy?.resume();
  };
  const plain = writePlugin(dir, proxy?.port ?? btcdPort, false);
  const holds = writePlugin(dir, btcdPort, true);
  const create = async (name: RegtestNodeName, plugin: string) =>
    new RegtestNode({ name, dir: join(dir, name), port: await freePort(), restPort: await freePort(), plugin });
  const nodes = { svc: await create('svc', plain), ext: await create('ext', holds), far: await create('far', holds) };
  const all = [nodes.svc, nodes.ext, nodes.far];
  const btcd = btcdClient(btcdPort);
  let btcdProcess = startBtcd(dir, btcdPort, UNKNOWN_ADDRESS);
  const mine = async (blocks: number) => {
    await btcd('generate', blocks);
    const height = await btcd<number>('getblockcount');
    const reading = all.filter((node) => !isSvcSilent || node !== nodes.svc);
    await Promise.all(reading.map((node) => until(`block ${height} at ${node.name}`, async () => (await blockHeight(node)) >= height)));
  };
  const stop = async () => {
    await Promise.all(all.map((node) => node.stop('SIGKILL')));
    await end(btcdProcess, 'SIGKILL');
    await proxy?.close();
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    await Promise.all(all.map((node) => node.start()));
    const { bech32 } = await nodes.svc.rpc<{ bech32: string }>('newaddr', { addresstype: 'bech32' });
    // btcd deletes its regtest chain at every start. Until now it has only the first block.
    await end(btcdProcess, 'SIGKILL');
    btcdProcess = startBtcd(dir, btcdPort, bech32);
    await mine(121);
    await fund(nodes, mine);
    await openChannels(nodes, mine);
    return { nodes, mine, silenceChain, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function fund(nodes: Regtest['nodes'], mine: Regtest['mine']): Promise<void> {
  await until('the coins of svc', async () => (await coins(nodes.svc)) >= 10 * COINS_SAT);
  for (const node of [nodes.ext, nodes.far]) {
    const { bech32 } = await node.rpc<{ bech32: string }>('newaddr', { addresstype: 'bech32' });
    await nodes.svc.rpc('withdraw', { destination: bech32, satoshi: COINS_SAT });
  }
  await mine(1);
  for (const node of [nodes.ext, nodes.far]) await until(`the coins of ${node.name}`, async () => (await coins(node)) >= COINS_SAT);
}

async function openChannels({ svc, ext, far }: Regtest['nodes'], mine: Regtest['mine']): Promise<void> {
  for (const [from, to] of [
    [svc, ext],
    [ext, far],
  ] as const) {
    const { id } = await to.rpc<{ id: string }>('getinfo');
    await from.rpc('connect', { id, host: '127.0.0.1', port: to.port });
    await until(`a channel from ${from.name} to ${to.name}`, () =>
      from.rpc('fundchannel', { id, amount: CAPACITY_SAT, push_msat: PUSHED_SAT * 1000, minconf: 0 }).then(() => true),
    );
  }
  await delay(500);
  await mine(6);
  for (const node of [svc, ext, far]) {
    await until(`the channels of ${node.name}`, async () => {
      const { channels } = await node.rpc<{ channels: { state: string; reestablished?: boolean }[] }>('listpeerchannels');
      return channels.every(({ state }) => state === 'CHANNELD_NORMAL');
    });
    await until(`the graph of ${node.name}`, async () => {
      const { channels } = await node.rpc<{ channels: { active: boolean }[] }>('listchannels');
      return channels.filter(({ active }) => active).length === 4;
    });
  }
}

function startBtcd(dir: string, port: number, miningAddress: string): ChildProcess {
  const files = [`--datadir=${join(dir, 'btcd')}`, `--logdir=${join(dir, 'btcd-logs')}`, '--configfile=/dev/null'];
  const rpc = [`--rpclisten=127.0.0.1:${port}`, `--rpcuser=${BTCD_USER}`, `--rpcpass=${BTCD_USER}`, '--notls', '--rpcmaxclients=1000'];
  return run(BTCD_BIN, ['--regtest', ...files, ...rpc, '--nolisten', '--nodnsseed', '--txindex', `--miningaddr=${miningAddress}`], dir);
}

/** Writes an executable that starts the plugin, and returns its path. */
function writePlugin(dir: string, btcdPort: number, holds: boolean): string {
  const path = join(dir, holds ? 'plugin-holds' : 'plugin');
  const plugin = join(import.meta.dirname, 'lightningd-plugin.ts');
  writeFileSync(path, `#!/bin/sh\nBTCD_PORT=${btcdPort} HOLDS=${holds ? 1 : 0} exec '${process.execPath}' '${plugin}'\n`);
  chmodSync(path, 0o755);
  return path;
}

function run(program: string | undefined, args: readonly string[], dir: string): ChildProcess {
  if (!program) throw new Error('set LIGHTNINGD_BIN and BTCD_BIN');
  const started = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = createWriteStream(join(dir, 'output.log'), { flags: 'a' });
  started.stdout.pipe(output, { end: false });
  started.stderr.pipe(output, { end: false });
  return started;
}

async function end(running: ChildProcess | undefined, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  if (!running || running.exitCode !== null || running.signalCode !== null) return;
  const ended = new Promise((resolve) => running.once('exit', resolve));
  running.kill(signal);
  await ended;
}

/** Ends a lightningd, starts it again, and waits until it is connected with the peers of its channels. */
export async function restartNode(node: RegtestNode, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  await node.stop(signal);
  await node.start();
  await until(`the channels of ${node.name}`, async () => {
    const { channels } = await node.rpc<{ channels: { reestablished?: boolean }[] }>('listpeerchannels');
    return channels.every(({ reestablished }) => reestablished);
  });
}

async function coins(node: RegtestNode): Promise<number> {
  const { outputs } = await node.rpc<{ outputs: { status: string; reserved: boolean; amount_msat: number }[] }>('listfunds');
  const usable = outputs.filter(({ status, reserved }) => status === 'confirmed' && !reserved);
  return usable.reduce((sum, { amount_msat: amount }) => sum + amount / 1000, 0);
}

async function blockHeight(node: RegtestNode): Promise<number> {
  return (await node.rpc<{ blockheight: number }>('getinfo')).blockheight;
}

/** Tries until the condition holds. An error counts as false. */
export async function until(name: string, condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + START_MS;
  let reason = '';
  while (Date.now() < deadline) {
    try {
      if (await condition()) return;
    } catch (error) {
      reason = String(error);
    }
    await delay(100);
  }
  throw new Error(`waited too long for ${name}. ${reason}`);
}
