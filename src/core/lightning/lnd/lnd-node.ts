import type { Log } from '../../kernel/log.ts';
import { type IncomingGuard, type LightningNode, type NodeCapabilities, type NodeInfo, NodeUnavailable, type Position } from '../node.ts';
import { listNodeChannels } from './channel-list.ts';
import { channelBalance, queryRoutes } from './channels.ts';
import { CredentialReader } from './credentials.ts';
import { knowsPosition, LND_WATCH_TIMING, type LndWatchTiming, newestPosition, watchEndedPayments, watchSettlements } from './events.ts';
import { collectEvidence } from './evidence.ts';
import { cancelInvoice, createInvoice, lookupInvoice } from './invoices.ts';
import { guardKeysends } from './keysends.ts';
import { LND_PAYMENT_TIMING, LndPayments, type LndPaymentTiming } from './payments.ts';
import { reportPermissions } from './permissions.ts';
import { type GetInfoResponse, ReadinessReader } from './readiness.ts';
import { openTransport } from './transport.ts';
import { type LndAddress, parseLndUrl } from './url.ts';

export interface LndOptions {
  /** `lnd+rest://…` or `lndconnect://…` */
  readonly url: string;
  readonly log: Log;
  /** Shorter in tests. */
  readonly timing?: Partial<LndPaymentTiming & LndWatchTiming>;
}

/**
 * Opens an LND node over its REST interface. Opening never waits: calls throw NodeUnavailable while the node cannot be reached.
 * @throws InvalidLndUrl
 */
export function openLnd({ url, log, timing }: LndOptions): LightningNode {
  const address = parseLndUrl(url);
  const transport = openTransport(address);
  const readiness = new ReadinessReader(transport);
  const payments = new LndPayments({ transport, readiness, timing: { ...LND_PAYMENT_TIMING, ...timing } });
  const watching = { transport, timing: { ...LND_WATCH_TIMING, ...timing } };
  const closing = new AbortController();
  let latestGuard: IncomingGuard;
  let guarding: Promise<void> | undefined;
  let pubkey: string | undefined;
  const untilClosed = (signal: AbortSignal) => AbortSignal.any([signal, closing.signal]);
  return {
    async info() {
      const { info, cannotSend } = await readiness.read();
      return { ...toNodeInfo(info, address), cannotSend };
    },
    createInvoice: (request) => createInvoice(transport, request, address.hopHints),
    cancelInvoice: (paymentHash) => cancelInvoice(transport, paymentHash),
    pay: (order) => payments.pay(order),
    keysend: (order) => payments.keysend(order),
    lookupPayment: (reference) => payments.lookup(reference),
    lookupInvoice: (paymentHash) => lookupInvoice(transport, paymentHash),
    guardIncoming(guard) {
      // LND claims all other incoming payments without a decision.
      if (address.holdsKeysends) guarding ??= guardKeysends({ ...watching, log }, (incoming) => latestGuard(incoming), closing.signal);
      latestGuard = guard;
    },
    watch(position: Position | undefined, signal: AbortSignal) {
      const ended = untilClosed(signal);
      return endingQuietly(watchSettlements(watching, position, ended), ended);
    },
    watchPayments(signal) {
      const ended = untilClosed(signal);
      return endingQuietly(watchEndedPayments(watching, ended), ended);
    },
    newestPosition: () => newestPosition(transport),
    knowsPosition: (position) => knowsPosition(transport, position),
    collectEvidence: (payment) =>
      collectEvidence({ transport, readiness, findRecord: (reference) => payments.findRecord(reference) }, payment),
    async queryRoutes(query) {
      pubkey ??= (await readiness.read()).info.identity_pubkey;
      return queryRoutes(transport, query, pubkey);
    },
    listChannels: () => listNodeChannels(transport),
    balance: async () => ({ localMsat: await channelBalance(transport) }),
    async checkCredential() {
      const { macaroon } = await new CredentialReader(address).read();
      return reportPermissions(Buffer.from(macaroon, 'hex'), address.holdsKeysends);
    },
    async close() {
      closing.abort();
      transport.close();
      await guarding;
    },
  };
}

/** Ends a stream without an error when the signal has aborted. */
async function* endingQuietly<T>(stream: AsyncGenerator<T, void>, signal: AbortSignal): AsyncGenerator<T, void> {
  try {
    yield* stream;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** The oldest version that keeps records of ours with a payment. */
const OLDEST_VERSION = [0, 18, 4];
const NETWORKS: Readonly<Record<string, NodeInfo['network']>> = {
  mainnet: 'bitcoin',
  testnet: 'testnet',
  signet: 'signet',
  regtest: 'regtest',
};
/** The feature of a node that accepts keysends. */
const KEYSEND_FEATURES = ['54', '55'];

function toNodeInfo(info: GetInfoResponse, address: LndAddress): NodeInfo {
  const version = info.version.split(' ')[0] ?? '';
  if (isTooOld(version)) throw new NodeUnavailable(`LND ${version} is too old: update it to ${OLDEST_VERSION.join('.')} or newer`);
  const name = info.chains[0]?.network ?? '';
  const network = NETWORKS[name];
  if (!network) throw new NodeUnavailable(`LND is on the network ${name}, which this service does not support`);
  return {
    pubkey: info.identity_pubkey,
    alias: info.alias,
    network,
    software: `LND ${version}`,
    capabilities: capabilitiesOf(info, address),
    channels: { active: info.num_active_channels, inactive: info.num_inactive_channels },
  };
}

function capabilitiesOf({ features }: GetInfoResponse, { holdsKeysends }: LndAddress): NodeCapabilities {
  return {
    sendsKeysend: true,
    receivesKeysend: KEYSEND_FEATURES.some((bit) => bit in features),
    guards: holdsKeysends ? 'keysends' : 'none',
    descriptionHashWithoutText: true,
  };
}

/** A version that cannot be parsed is not too old. */
function isTooOld(version: string): boolean {
  const parts = version.split('-')[0]?.split('.').map(Number) ?? [];
  const at = OLDEST_VERSION.findIndex((oldest, i) => parts[i] !== oldest);
  return at !== -1 && (parts[at] ?? 0) < (OLDEST_VERSION[at] ?? 0);
}
