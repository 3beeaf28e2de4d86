import type { Log } from '../../kernel/log.ts';
import { TtlCache } from '../../kernel/ttl-cache.ts';
import { type LightningNode, type NodeCapabilities, type NodeInfo, NodeUnavailable } from '../node.ts';
import type { NodeChannel } from '../node-channel.ts';
import { listNodeChannels, readBalance } from './channels.ts';
import { ATTEMPTS_SECONDS, type ClnTiming, clnTiming } from './context.ts';
import { Datastore } from './datastore.ts';
import { newestSettlement, watchPaymentHashes, watchSettlements } from './events.ts';
import { collectEvidence } from './evidence.ts';
import { settlementFinality } from './finality.ts';
import { NodeHistory } from './history.ts';
import { cancelInvoice, createInvoice, lookupInvoice } from './invoices.ts';
import { ClnMoves } from './moves.ts';
import { ClnPayments } from './payments.ts';
import { reportRune } from './permissions.ts';
import { readSentPayments, readSettlements } from './records.ts';
import { queryRoutes } from './routes.ts';
import { readRows } from './rows.ts';
import { ClnRpc, type GetInfoResult } from './rpc.ts';
import { RestTransport, readCredentials } from './transport-rest.ts';
import { SocketTransport } from './transport-socket.ts';
import { parseClnUrl, publicAddress } from './url.ts';

export interface OpenClnOptions {
  /** `cln+unix://…` or `cln+rest://…` */
  readonly url: string;
  readonly log: Log;
  /** How long `xpay` starts new parts. Absent: {@link ATTEMPTS_SECONDS}. */
  readonly attemptsSeconds?: number | undefined;
  /** Shorter in tests. */
  readonly timing?: ClnTiming;
}

/**
 * Keysends are refused in both directions: lightningd chooses the preimage of a keysend that it sends, and reports those that it receives
 * without their custom records, which name the wallet.
 */
const CAPABILITIES: NodeCapabilities = {
  sendsKeysend: false,
  receivesKeysend: false,
  guards: 'none',
  descriptionHashWithoutText: false,
  // Only plugins have them.
  holdInvoices: false,
};

const NETWORKS: readonly NodeInfo['network'][] = ['bitcoin', 'testnet', 'signet', 'regtest'];
/** The settings of the node are checked again after this time, because its operator may have restarted it. */
const SETTINGS_MS = 60_000;
/** For this long it counts which peers are connected. The list of all channels is long on large nodes. */
const CONNECTED_MS = 5000;
const LEDGER = ['ledger'];

type ChannelCounts = NonNullable<NodeInfo['channels']>;

/** Connects to Core Lightning. Opening never waits: the first call connects. @throws InvalidClnUrl */
export function openCln({
  url,
  log,
  attemptsSeconds = ATTEMPTS_SECONDS,
  timing = clnTiming(attemptsSeconds),
}: OpenClnOptions): LightningNode {
  const address = parseClnUrl(url);
  const rpc = new ClnRpc(address.transport === 'socket' ? new SocketTransport(address.path) : new RestTransport(address));
  log.info({ address: publicAddress(address) }, 'the Lightning node is Core Lightning');
  const datastore = new Datastore(rpc);
  const history = new NodeHistory(rpc, datastore);
  const cln = { rpc, datastore, history, timing, attemptsSeconds };
  const moves = new ClnMoves(rpc);
  const closing = new AbortController();
  let pubkey: string | undefined;
  const connected = new TtlCache<readonly NodeChannel[]>({ maxAgeMs: CONNECTED_MS, maxSize: 1 });
  let settingsCheckedAtMs = Number.NEGATIVE_INFINITY;

  async function info(): Promise<NodeInfo> {
    const read = await rpc.call('getinfo');
    if (performance.now() - settingsCheckedAtMs >= SETTINGS_MS) {
      await requireSettings(rpc, read.version);
      settingsCheckedAtMs = performance.now();
    }
    const node = toNodeInfo(read, await countChannels(read));
    pubkey = node.pubkey;
    return node;
  }

  /** lightningd counts a channel whose peer is offline as active. */
  async function countChannels({ num_active_channels: open, num_inactive_channels: others }: GetInfoResult): Promise<ChannelCounts> {
    if (open === 0) return { active: 0, inactive: others };
    const channels = await connected.get('', () => listNodeChannels(rpc).catch(() => undefined));
    const active = channels?.filter(({ state }) => state === 'active').length ?? open;
    return { active, inactive: others + Math.max(0, open - active) };
  }

  const payments = new ClnPayments(cln, async () => pubkey ?? (await info()).pubkey);
  const untilClosed = (signal: AbortSignal) => AbortSignal.any([signal, closing.signal]);

  return {
    lateRequestMs: timing.quietMs,
    info,
    createInvoice: (request) => createInvoice(cln, request),
    cancelInvoice: (paymentHash) => cancelInvoice(cln, paymentHash),
    lookupInvoice: (paymentHash) => lookupInvoice(cln, paymentHash),
    settlementFinality: (settlement, waitMs) => settlementFinality(cln, moves, settlement, waitMs),
    pay: (order) => payments.pay(order),
    /** Not supported, so nothing is sent. */
    keysend: async () => ({ state: 'failed', reason: 'ERROR' }),
    lookupPayment: (payment) => payments.lookup(payment),
    /** lightningd claims payments of its invoices itself. An invoice is protected by cancelling it. */
    guardIncoming() {},
    watch(position, signal) {
      moves.reset();
      return watchSettlements(cln, position, untilClosed(signal));
    },
    watchPayments: (signal) => watchPaymentHashes(cln, untilClosed(signal)),
    readSentPayments: (query) => readSentPayments(cln, query),
    readSettlements: (query) => readSettlements(cln, query),
    newestSettlement: () => newestSettlement(cln),
    knowsPosition: (position) => history.knows(position),
    collectEvidence: async (payment) => collectEvidence(rpc, payment, await readRows(cln, payment)),
    queryRoutes: (query) => queryRoutes(rpc, query),
    listChannels: () => listNodeChannels(rpc),
    balance: () => readBalance(rpc),
    async claimForLedger(ledgerId, replaces) {
      for (;;) {
        const stored = await datastore.read(LEDGER);
        if (stored && stored.text !== replaces) return stored.text;
        if (await datastore.write(LEDGER, ledgerId, stored?.generation)) return ledgerId;
      }
    },
    /** Who can open the Unix socket may do everything, so there is nothing to compare. */
    checkCredential: async () => (address.transport === 'rest' ? reportRune(readCredentials(address).rune) : undefined),
    async close() {
      closing.abort();
      rpc.close();
    },
  };
}

function toNodeInfo(info: GetInfoResult, channels: ChannelCounts): NodeInfo {
  const network = NETWORKS.find((one) => one === info.network);
  if (!network) throw new Error(`the node is on the network ${info.network}, which is not supported`);
  const isSyncing = info.warning_bitcoind_sync !== undefined || info.warning_lightningd_sync !== undefined;
  const noChannel = channels.active === 0 ? 'it has no active channel' : undefined;
  const cannotSend = isSyncing ? 'it is still reading the blockchain' : noChannel;
  return {
    pubkey: info.id,
    alias: info.alias ?? '',
    network,
    software: `Core Lightning ${info.version}`,
    capabilities: CAPABILITIES,
    channels,
    chain: { blockHeight: info.blockheight, isSynced: !isSyncing },
    ...(cannotSend !== undefined && { cannotSend }),
  };
}

/** The first version whose behavior was verified. */
const MIN_VERSION = [26, 6] as const;
/** The records without which the adapter would pay twice, or would take a paid invoice for an unknown one. */
const KEPT = ['succeededpays', 'failedpays', 'paidinvoices', 'expiredinvoices'] as const;

/**
 * Checks the version and the settings of the node that are required to keep money safe.
 * @throws NodeUnavailable that names what to change.
 */
async function requireSettings(rpc: ClnRpc, version: string): Promise<void> {
  const [, year = '0', month = '0'] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  if (Number(year) < MIN_VERSION[0] || (Number(year) === MIN_VERSION[0] && Number(month) < MIN_VERSION[1]))
    throw new NodeUnavailable(`the node runs Core Lightning ${version}; version 26.06 or later is required`);
  // The plugin `offers` provides the command `decode`. Two simultaneous payments of one invoice abort a node that runs this plugin, and
  // abort it again at each start. Source: https://github.com/ElementsProject/lightning/issues/7075
  if (await rpc.hasCommand('decode')) {
    throw new NodeUnavailable(
      'the node runs the plugin offers, with which simultaneous payments of one invoice stop it permanently; ' +
        'add the line disable-plugin=offers to the config of lightningd and restart it',
    );
  }
  // The plugin `autoclean` may be disabled.
  if (!(await rpc.hasCommand('autoclean-status'))) return;
  const { autoclean } = await rpc.call('autoclean-status');
  const cleaned = KEPT.filter((name) => autoclean[name]?.enabled);
  if (cleaned.length > 0) {
    const settings = cleaned.map((name) => `autoclean-${name}-age`).join(', ');
    throw new NodeUnavailable(`the node deletes records that this service needs; remove ${settings} from the config of lightningd`);
  }
}
