import { mkdirSync, readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { type SilentProxy, startSilentProxy } from '../../support/silent-proxy.ts';
import { BlockMaker } from '../block-maker.ts';
import { Program, RegtestLnd, until } from './regtest-lnd.ts';

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

export interface RegtestOptions {
  readonly holdsKeysends?: boolean;
  /** The source of blocks of the hub. It is behind a proxy, which a test can silence. Otherwise the hub calls btcd directly. */
  readonly proxiedChain?: 'btcd' | 'neutrino';
  /** The chain has old blocks: see {@link RegtestNetwork.mineOld}. */
  readonly hasOldBlocks?: boolean;
}

export class RegtestNetwork {
  readonly #directory: string;
  readonly #btcd: Program;
  readonly #btcdPort: number;
  readonly #proxy: SilentProxy | undefined;
  readonly #blocks: BlockMaker | undefined;
  readonly hub: RegtestLnd;
  readonly alice: RegtestLnd;
  readonly carol: RegtestLnd;

  /** Starts the network. It takes about 20 seconds. */
  static async start(binaries: RegtestBinaries, directory: string, options: RegtestOptions = {}): Promise<RegtestNetwork> {
    const ports = [];
    for (let i = 0; i < 11; i++) ports.push(await freePort());
    const [btcdPort = 0, chainPeerPort = 0, ...others] = ports;
    const { proxiedChain } = options;
    const proxy = proxiedChain && (await startSilentProxy(proxiedChain === 'btcd' ? btcdPort : chainPeerPort));
    const network = new RegtestNetwork(binaries, directory, { btcdPort, chainPeerPort, others, proxy }, options);
    try {
      await network.#start();
      return network;
    } catch (error) {
      await network.stop();
      throw error;
    }
  }

  private constructor(
    binaries: RegtestBinaries,
    directory: string,
    ports: { btcdPort: number; chainPeerPort: number; others: number[]; proxy: SilentProxy | undefined },
    { holdsKeysends = true, proxiedChain, hasOldBlocks = false }: RegtestOptions,
  ) {
    this.#directory = directory;
    mkdirSync(join(directory, 'btcd'), { recursive: true, mode: 0o700 });
    const nextPort = () => ports.others.pop() ?? 0;
    this.#btcdPort = ports.btcdPort;
    this.#proxy = ports.proxy;
    this.#blocks = hasOldBlocks ? new BlockMaker((method, params) => this.#btcdCall(method, params)) : undefined;
    const listening = proxiedChain === 'neutrino' ? `--listen=127.0.0.1:${ports.chainPeerPort}` : '--nolisten';
    const btcdArgs = [
      ...['--regtest', '--configfile=/dev/null', `--datadir=${directory}/btcd/data`, `--logdir=${directory}/btcd/logs`],
      ...[`--rpclisten=127.0.0.1:${this.#btcdPort}`, ...USER, `--rpccert=${directory}/btcd/rpc.cert`, `--rpckey=${directory}/btcd/rpc.key`],
      ...['--rpcmaxclients=100', '--rpcmaxwebsockets=100', listening, '--nodnsseed', '--txindex', `--miningaddr=${NO_ADDRESS}`],
    ];
    this.#btcd = new Program(binaries.btcd, btcdArgs, join(directory, 'btcd.log'));
    const node = (name: string, more: readonly string[], chain = this.#btcdArgs(this.#btcdPort)) => {
      const [rest, peer, rpc] = [nextPort(), nextPort(), nextPort()];
      const program = (folder: string) =>
        new Program(binaries.lnd, this.#lndArgs(folder, name, { rest, peer, rpc }, [...chain, ...more]), `${folder}.log`);
      return new RegtestLnd(name, join(directory, name), { rest, peer }, program);
    };
    const chainPort = ports.proxy?.port ?? this.#btcdPort;
    const hubChain =
      proxiedChain === 'neutrino' ? ['--bitcoin.node=neutrino', `--neutrino.connect=127.0.0.1:${chainPort}`] : this.#btcdArgs(chainPort);
    // Hub and carol are nodes of the service. Without it, what arrives while the service is killed cannot be proven later.
    const storesFinal = '--store-final-htlc-resolutions';
    const hubArgs = [
      storesFinal,
      ...(holdsKeysends ? ['--keysend-hold-time=15s'] : []),
      // LND stops itself when its source of blocks has been silent for some minutes.
      ...(proxiedChain ? ['--healthcheck.chainbackend.attempts=0'] : []),
    ];
    this.hub = node('hub', hubArgs, hubChain);
    this.alice = node('alice', []);
    this.carol = node('carol', [storesFinal]);
  }

  #btcdArgs(port: number): string[] {
    const login = ['--btcd.rpcuser=regtest', '--btcd.rpcpass=regtest', `--btcd.rpccert=${this.#directory}/btcd/rpc.cert`];
    return ['--bitcoin.node=btcd', `--btcd.rpchost=127.0.0.1:${port}`, ...login];
  }

  #lndArgs(folder: string, alias: string, ports: { rest: number; peer: number; rpc: number }, more: readonly string[]): string[] {
    return [
      ...[`--lnddir=${folder}`, `--configfile=${folder}/lnd.conf`, '--noseedbackup', '--nobootstrap', `--alias=${alias}`],
      ...[
        '--bitcoin.regtest',
        `--listen=127.0.0.1:${ports.peer}`,
        `--rpclisten=127.0.0.1:${ports.rpc}`,
        `--restlisten=127.0.0.1:${ports.rest}`,
      ],
      ...[
        '--accept-keysend',
        '--trickledelay=50',
        '--gossip.sub-batch-delay=5ms',
        '--bitcoin.defaultchanconfs=1',
        '--bitcoin.defaultremotedelay=20',
        '--maxpendingchannels=5',
      ],
      ...more,
    ];
  }

  get nodes(): readonly [RegtestLnd, RegtestLnd, RegtestLnd] {
    return [this.hub, this.alice, this.carol];
  }

  /** Mines blocks; the newest has the present time. */
  async mine(blocks: number): Promise<void> {
    if (!this.#blocks) return void (await this.#btcdCall('generate', [blocks]));
    // The first has the waiting transactions. A block must be newer than the median of the eleven before it, so most stay old.
    await this.#btcdCall('generate', [1]);
    if (blocks === 1) return;
    await this.#blocks.mine(Math.max(10, blocks - 2));
    await this.#btcdCall('generate', [1]);
  }

  /** Mines an empty block whose time is so many seconds ago; only with `hasOldBlocks`, and for at most about four hours. */
  async mineOld(ageSeconds: number): Promise<void> {
    await this.#blocks?.mine(1, Math.floor(Date.now() / 1000) - ageSeconds);
  }

  /** Stops or starts to pass bytes between the hub and its source of blocks. Only with `proxiedChain`. */
  silenceChain(isSilent: boolean): void {
    if (isSilent) this.#proxy?.silence();
    else this.#proxy?.resume();
  }

  /** Stops all programs that it started. */
  async stop(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.stop('SIGINT')));
    await this.#btcd.stop('SIGINT');
    await this.#proxy?.close();
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
    await this.#blocks?.mine(119, undefined, address);
    await this.mine(this.#blocks ? 1 : 120);
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

  /** Begins to close a channel, and returns when its closing transaction is on its way. `isForced`: without the peer. */
  async closeChannel(node: RegtestLnd, channelPoint: string, isForced: boolean): Promise<void> {
    const path = `/v1/channels/${channelPoint.replace(':', '/')}?force=${isForced}${isForced ? '' : '&sat_per_vbyte=2'}`;
    await node.firstMessage('DELETE', path);
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
