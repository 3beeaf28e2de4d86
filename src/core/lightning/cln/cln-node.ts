import type { Log } from '../../kernel/log.ts';
import type {
  CancelOutcome,
  CreatedInvoice,
  CredentialReport,
  InvoiceRequest,
  InvoiceStatus,
  LightningNode,
  NodeCapabilities,
  NodeChannel,
  NodeEvent,
  NodeInfo,
  PaymentEvidence,
  PaymentOrder,
  PaymentOutcome,
  PaymentReference,
  Position,
  Route,
  RouteQuery,
} from '../node.ts';
import { listNodeChannels } from './channel-list.ts';
import { ownBalanceMsat } from './channels.ts';
import { Datastore } from './datastore.ts';
import { ClnEvents } from './events.ts';
import { collectEvidence } from './evidence.ts';
import { NodeHistory } from './history.ts';
import { ClnInvoices } from './invoices.ts';
import { ClnPayments, type PaymentTiming } from './payments.ts';
import { reportRune } from './permissions.ts';
import { queryRoutes } from './routes.ts';
import { readRows } from './rows.ts';
import { ClnRpc } from './rpc.ts';
import { requireSettings } from './settings.ts';
import { RestTransport, readCredentials } from './transport-rest.ts';
import { SocketTransport } from './transport-socket.ts';
import { parseClnUrl, publicAddress } from './url.ts';

export interface OpenClnOptions {
  /** `cln+unix://…` or `cln+rest://…` */
  readonly url: string;
  readonly log: Log;
  /** Shorter in tests. */
  readonly timing?: PaymentTiming & { readonly heartbeatMs: number };
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
};

const NETWORKS: readonly NodeInfo['network'][] = ['bitcoin', 'testnet', 'signet', 'regtest'];
/** The settings of the node are checked again after this time, because its operator may have restarted it. */
const SETTINGS_MS = 60_000;
const LEDGER = ['ledger'];

/** Connects to Core Lightning. Opening never waits: the first call connects. @throws InvalidClnUrl */
export function openCln({ url, log, timing }: OpenClnOptions): LightningNode {
  const address = parseClnUrl(url);
  const transport = address.transport === 'socket' ? new SocketTransport(address.path) : new RestTransport(address);
  log.info({ address: publicAddress(address) }, 'the Lightning node is Core Lightning');
  const rune = async () => (address.transport === 'rest' ? readCredentials(address).rune : undefined);
  return new ClnNode(new ClnRpc(transport), rune, timing);
}

class ClnNode implements LightningNode {
  readonly #rpc: ClnRpc;
  readonly #rune: () => Promise<string | undefined>;
  readonly #closing = new AbortController();
  readonly #datastore: Datastore;
  readonly #history: NodeHistory;
  readonly #invoices: ClnInvoices;
  readonly #payments: ClnPayments;
  readonly #events: ClnEvents;
  #nodeId: string | undefined;
  #settingsCheckedAtMs = Number.NEGATIVE_INFINITY;

  constructor(rpc: ClnRpc, rune: () => Promise<string | undefined>, timing: OpenClnOptions['timing']) {
    this.#rpc = rpc;
    this.#rune = rune;
    this.#datastore = new Datastore(rpc);
    this.#history = new NodeHistory(rpc, this.#datastore);
    this.#invoices = new ClnInvoices(rpc, this.#datastore);
    const nodeId = async () => this.#nodeId ?? (await this.info()).pubkey;
    this.#payments = new ClnPayments({ rpc, datastore: this.#datastore, history: this.#history, nodeId, timing });
    this.#events = new ClnEvents({ rpc, history: this.#history, closing: this.#closing.signal, heartbeatMs: timing?.heartbeatMs });
  }

  async info(): Promise<NodeInfo> {
    const info = await this.#rpc.call('getinfo');
    await this.#requireSettings(info.version);
    const network = NETWORKS.find((one) => one === info.network);
    if (!network) throw new Error(`the node is on the network ${info.network}, which is not supported`);
    this.#nodeId = info.id;
    const isSyncing = info.warning_bitcoind_sync !== undefined || info.warning_lightningd_sync !== undefined;
    const cannotSend = isSyncing
      ? 'it is still reading the blockchain'
      : info.num_active_channels === 0
        ? 'it has no active channel'
        : undefined;
    return {
      pubkey: info.id,
      alias: info.alias ?? '',
      network,
      software: `Core Lightning ${info.version}`,
      capabilities: CAPABILITIES,
      channels: { active: info.num_active_channels, inactive: info.num_inactive_channels },
      ...(cannotSend !== undefined && { cannotSend }),
    };
  }

  createInvoice(request: InvoiceRequest): Promise<CreatedInvoice> {
    return this.#invoices.create(request);
  }

  cancelInvoice(paymentHash: string): Promise<CancelOutcome> {
    return this.#invoices.cancel(paymentHash);
  }

  lookupInvoice(paymentHash: string): Promise<InvoiceStatus | undefined> {
    return this.#invoices.lookup(paymentHash);
  }

  pay(order: PaymentOrder): Promise<PaymentOutcome> {
    return this.#payments.pay(order);
  }

  /** Not supported, so nothing is sent. */
  async keysend(): Promise<PaymentOutcome> {
    return { state: 'failed', reason: 'ERROR' };
  }

  lookupPayment(payment: PaymentReference): Promise<PaymentOutcome | undefined> {
    return this.#payments.lookup(payment);
  }

  /** lightningd claims payments of its invoices itself. An invoice is protected by cancelling it. */
  guardIncoming(): void {}

  watch(position: Position | undefined, signal: AbortSignal): AsyncIterable<NodeEvent> {
    return this.#events.watch(position, signal);
  }

  watchPayments(signal: AbortSignal): AsyncIterable<string> {
    return this.#events.watchPayments(signal);
  }

  newestPosition(): Promise<Position | undefined> {
    return this.#events.newestPosition();
  }

  knowsPosition(position: Position): Promise<boolean> {
    return this.#history.knows(position);
  }

  async collectEvidence(payment: PaymentReference): Promise<PaymentEvidence> {
    return await collectEvidence(this.#rpc, payment, await readRows(this.#rpc, this.#history, payment));
  }

  queryRoutes(query: RouteQuery): Promise<readonly Route[]> {
    return queryRoutes(this.#rpc, query);
  }

  listChannels(): Promise<readonly NodeChannel[]> {
    return listNodeChannels(this.#rpc);
  }

  async balance() {
    return { localMsat: await ownBalanceMsat(this.#rpc) };
  }

  async claimForLedger(ledgerId: string, replaces: string | undefined): Promise<string> {
    for (;;) {
      if (await this.#datastore.create(LEDGER, ledgerId)) return ledgerId;
      const stored = await this.#datastore.read(LEDGER);
      if (!stored) continue;
      if (stored.text !== replaces) return stored.text;
      if (await this.#datastore.replace(LEDGER, ledgerId, stored.generation)) return ledgerId;
    }
  }

  /** Who can open the Unix socket may do everything, so there is nothing to compare. */
  async checkCredential(): Promise<CredentialReport | undefined> {
    const rune = await this.#rune();
    return rune === undefined ? undefined : reportRune(rune);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#rpc.close();
  }

  async #requireSettings(version: string): Promise<void> {
    if (performance.now() - this.#settingsCheckedAtMs < SETTINGS_MS) return;
    await requireSettings(this.#rpc, version);
    this.#settingsCheckedAtMs = performance.now();
  }
}
