import { systemClock, unixSeconds, withTimeout } from '../kernel/clock.ts';
import { errorMessage } from '../kernel/log.ts';
import { type Msat, msat } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import { sharedCall } from '../kernel/shared-call.ts';
import { TtlCache } from '../kernel/ttl-cache.ts';
import { HistoryChanged, type LightningNode, type NodeEvent, type NodeInfo, NodeUnavailable, type Position } from '../lightning/node.ts';
import type { NodeChannel } from '../lightning/node-channel.ts';
import { listChannels } from '../lightning/responses.ts';
import { blockSecondsOf, type ChainReport, ChainView } from './chain-view.ts';
import { ForeignLedger, type LedgerNode, type NodeIdentity } from './ledger-nodes.ts';
import { type FoundNode, readInfo } from './node-urls.ts';
import { type NodeCall, observedNode } from './observed-node.ts';

export interface ConnectionOptions {
  /** Finds the node, and verifies the position of its events. Called before the first call, and again after each lost connection. */
  readonly identify: () => Promise<FoundNode>;
  /** Called when the node has no event at the position from which its events were to be read. */
  readonly onHistoryChanged: (position: Position | undefined) => Promise<void>;
  /** The setting HOLD_INVOICES. Undefined: hold invoices are offered on nodes without a known risk. */
  readonly holdInvoices?: boolean | undefined;
  /** The age of the node's newest block from which it counts as behind: see {@link ChainView}. */
  readonly maxBlockAgeSeconds?: number | undefined;
}

/** For this long the answer to whether the node is available counts. */
const AVAILABLE_MS = 1000;
/** For this long the node's last report that it can send counts. */
const CAN_SEND_MS = 5000;
/** The time limit of a call. After it the outcome of the call is unknown, and a payment stays pending. */
const CALL_MS = 60_000;

/** For this long the figures of channels count: several intervals between two reads. */
const FIGURES_MS = 60_000;

/** The number of answers from which the median is computed. */
const KEPT_ANSWERS = 21;

/** The time of the node's last answer in Unix seconds, its duration, and the median duration of the last answers. */
export interface LastAnswer {
  readonly at: number;
  readonly ms: number;
  readonly medianMs: number;
}

/** The connection to one of the Lightning nodes that hold the ledger's money. */
export class NodeConnection {
  /** `lnd_…`, the API's `ln_node_id`. */
  readonly nodeId: string;
  /** The ledger account of the node. */
  readonly ledgerAccount: number;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly #options: ConnectionOptions;
  #identity: NodeIdentity | undefined;
  #adapter: LightningNode | undefined;
  #info: NodeInfo | undefined;
  readonly #chain: ChainView;
  #channels: readonly NodeChannel[] | undefined;
  #channelsReadAtMs = Number.NEGATIVE_INFINITY;
  #answeredAt: number | undefined;
  /** The durations of the last answers in milliseconds, oldest first. */
  #answerMs: readonly number[] = [];
  #onCall: ((call: NodeCall) => void) | undefined;
  #isIdentified = false;
  readonly #answers = new TtlCache<boolean>({ maxAgeMs: AVAILABLE_MS, maxSize: 1 });
  readonly #canSend = new TtlCache<NodeInfo>({ maxAgeMs: CAN_SEND_MS, maxSize: 1 });

  constructor({ id, ledgerAccount, createdAt, identity }: LedgerNode, options: ConnectionOptions) {
    this.nodeId = id;
    this.ledgerAccount = ledgerAccount;
    this.createdAt = createdAt;
    this.#identity = identity;
    this.#options = options;
    this.#chain = new ChainView(options.maxBlockAgeSeconds);
  }

  /** Returns whether the node was ever reached since it was added to the ledger. */
  wasReached(): boolean {
    return this.#identity !== undefined;
  }

  /** @throws NodeUnavailable when the node was never reached since it was added to the ledger. */
  identity(): NodeIdentity {
    if (!this.#identity) throw new NodeUnavailable('the node was never reached');
    return this.#identity;
  }

  /** Returns what the node last reported about itself; undefined before this process has reached it. */
  info(): NodeInfo | undefined {
    return this.#info;
  }

  /** Returns the time and the duration of the node's last answer; undefined before this process has received one. */
  lastAnswer(): LastAnswer | undefined {
    const ms = this.#answerMs.at(-1);
    if (ms === undefined || this.#answeredAt === undefined) return undefined;
    const median = this.#answerMs.toSorted((a, b) => a - b)[Math.floor(this.#answerMs.length / 2)];
    return { at: this.#answeredAt, ms, medianMs: median ?? ms };
  }

  /** Returns whether the node's adapter has an optional call; false before this process has reached the node. */
  supports(call: 'queryRoutes'): boolean {
    return this.#adapter?.[call] !== undefined;
  }

  /** Reads what the node reports about itself. @throws NodeUnavailable */
  async readInfo(): Promise<NodeInfo> {
    return this.#noteInfo(await readInfo(await this.#identified(), this.#options.holdInvoices));
  }

  /** Returns whether the node follows the blockchain, from what it last reported. */
  chain(): ChainReport {
    return this.#chain.read(unixSeconds(systemClock));
  }

  /** Returns for how many seconds the node has reported that it is not synchronized; 0 if it is, and on networks with irregular blocks. */
  unsyncedSeconds(): number {
    return this.#chain.unsyncedSeconds(unixSeconds(systemClock));
  }

  /** Returns how many blocks the node has missed on average since its newest one, and the mean seconds between two blocks. */
  missedBlocks(): { readonly blocks: number; readonly blockSeconds: number } {
    return { blocks: this.#chain.missedBlocks(unixSeconds(systemClock)), blockSeconds: blockSecondsOf(this.#chain) };
  }

  /**
   * Returns the channels as this instance has last read them; undefined if it could not read them lately, or if the adapter does not list them.
   */
  channels(): readonly NodeChannel[] | undefined {
    const isRecent = performance.now() - this.#channelsReadAtMs < FIGURES_MS;
    return isRecent ? this.#channels : undefined;
  }

  /** Returns what the active channels together can send and receive, from the figures of {@link channels}; undefined if that is unknown. */
  capacity(): { readonly spendableMsat: Msat; readonly receivableMsat: Msat } | undefined {
    const active = this.channels()?.filter(({ state }) => state === 'active');
    const sum = (of: 'spendableMsat' | 'receivableMsat') => active?.reduce((total, one) => total + one[of], 0) ?? 0;
    return active && { spendableMsat: msat(sum('spendableMsat')), receivableMsat: msat(sum('receivableMsat')) };
  }

  /** Returns whether the node can send or receive at all, as far as is known. */
  canMoveMoney(): boolean {
    const { spendableMsat, receivableMsat } = this.capacity() ?? {};
    const isEmpty = spendableMsat !== undefined && receivableMsat !== undefined && spendableMsat + receivableMsat < 1000;
    return this.#info?.cannotSend === undefined && !isEmpty;
  }

  /** Reads what the node reports about itself, and its channels. Never throws: figures that cannot be read become unknown. */
  async readFigures(): Promise<void> {
    try {
      await this.readInfo();
      this.#channels = await this.call(listChannels);
      this.#channelsReadAtMs = performance.now();
    } catch {
      // Callers of `channels` see that they are too old, and `answers` that the node does not answer.
    }
  }

  /** Takes in the block height of a payee that has rejected a payment of this node. */
  reportPayee(height: number): void {
    this.#chain.reportPayee(height);
  }

  /** Call it before an operation that depends on the block height. @throws Refusal `node_unavailable` */
  requireCurrentChain(): void {
    const chain = this.chain();
    if (chain.state === 'behind')
      throw new Refusal('node_unavailable', `The Lightning node is behind the blockchain: ${chain.reason}. This request sent nothing.`);
  }

  /**
   * Calls the node, with a time limit. After any error but {@link NodeUnavailable}, the outcome of the call is unknown.
   * @throws NodeUnavailable when the node was not identified. Then nothing was called.
   */
  async call<T>(call: (node: LightningNode) => Promise<T>): Promise<T> {
    return withTimeout(CALL_MS, call(await this.#identified()), () => {
      return new Error(`the node did not answer within ${CALL_MS / 1000} seconds; the outcome of the call is unknown`);
    });
  }

  /** Calls a function after each call to the node. */
  onCall(listener: (call: NodeCall) => void): void {
    this.#onCall = listener;
  }

  /** Streams the events after a position, or all events. After it ends, the node is identified again before the next call. */
  async *watch(position: Position | undefined, signal: AbortSignal): AsyncGenerator<NodeEvent> {
    try {
      yield* (await this.#identified()).watch(position, signal);
    } catch (error) {
      if (error instanceof HistoryChanged) await this.#options.onHistoryChanged(position);
      throw error;
    } finally {
      this.#isIdentified = false;
      // A node that was restarted has no active channel at first.
      this.#canSend.forget('');
    }
  }

  /** Streams the payment hashes of payments that may have ended. Ends at once if the adapter does not report them. */
  async *watchPayments(signal: AbortSignal): AsyncGenerator<string> {
    yield* (await this.#identified()).watchPayments?.(signal) ?? [];
  }

  /** Returns whether the node answered within the last second. */
  async answers(): Promise<boolean> {
    const answers = async () => (await this.readInfo().catch(() => undefined)) !== undefined;
    return (await this.#answers.get('', answers)) === true;
  }

  /** Returns whether the node answered within the last second, and the credential permits all calls that the service needs. */
  async isAvailable(): Promise<boolean> {
    return (await this.answers()) && this.#info?.missingCalls === undefined;
  }

  /** Call it before an operation that needs the node. @throws NodeUnavailable, Refusal `node_unavailable` */
  async requireAvailable(): Promise<void> {
    if (!(await this.answers())) throw new NodeUnavailable('the node does not answer');
    await this.requirePermitted();
  }

  /**
   * Call it before an operation that creates something at the node: without all permissions, the service may be unable to cancel an invoice, to
   * book its payment, or to pay it out. Calls the node only if a permission was missing, because the credential may have been replaced since.
   * @throws NodeUnavailable, Refusal `node_unavailable`
   */
  async requirePermitted(): Promise<void> {
    await this.#identified();
    if (this.#info?.missingCalls === undefined || (await this.isAvailable())) return;
    throw new Refusal(
      'node_unavailable',
      'The credential of the Lightning node does not permit all calls that the service needs. The operator must replace it. This request sent nothing.',
    );
  }

  /** Call it before an operation that sends a payment over the network. @throws NodeUnavailable; Refusal `node_unavailable` with the node's reason */
  async requireCanSend(): Promise<void> {
    await this.requireAvailable();
    const info = await this.#canSend.get('', () => this.readInfo());
    // Only a node that can send is cached: another one may be able to a moment later.
    if (info?.cannotSend !== undefined) this.#canSend.forget('');
    this.requireCurrentChain();
    if (info?.cannotSend === undefined) return;
    throw new Refusal(
      'node_unavailable',
      `The Lightning node cannot send payments now: ${info.cannotSend}. This request sent nothing. Try again later.`,
    );
  }

  /** Returns the adapter once the node is identified. @throws NodeUnavailable */
  async #identified(): Promise<LightningNode> {
    return this.#isIdentified && this.#adapter ? this.#adapter : this.#identify();
  }

  #observe(call: NodeCall): void {
    if (call.call === 'info' && !call.hasFailed) {
      this.#answeredAt = unixSeconds(systemClock);
      this.#answerMs = [...this.#answerMs.slice(1 - KEPT_ANSWERS), 1000 * call.seconds];
    }
    this.#onCall?.(call);
  }

  #noteInfo(info: NodeInfo): NodeInfo {
    this.#chain.observe(info, unixSeconds(systemClock));
    const chain = this.chain();
    const isBehind = chain.state === 'behind' && info.cannotSend === undefined;
    this.#info = isBehind ? { ...info, cannotSend: `the node is behind the blockchain: ${chain.reason}` } : info;
    return this.#info;
  }

  readonly #identify = sharedCall(async (): Promise<LightningNode> => {
    try {
      const { adapter, info } = await this.#options.identify();
      const observed = observedNode(adapter, this.nodeId, (call) => this.#observe(call));
      this.#adapter = observed;
      this.#noteInfo(info);
      this.#identity = { pubkey: info.pubkey, network: info.network };
      this.#isIdentified = true;
      // The node answers again: its pending payments are resumed now, and only if it counts as available.
      this.#answers.forget('');
      return observed;
    } catch (error) {
      throw error instanceof ForeignLedger ? new NodeUnavailable(errorMessage(error)) : error;
    }
  });
}

/** Returns whether the service can use the node, from what the node reports about itself, as the API shows it. */
export function statusOf({ cannotSend, missingCalls }: NodeInfo) {
  if (missingCalls !== undefined) {
    const reason = `the credential does not permit ${missingCalls.join(', ')}; satchel node check prints the command that creates one`;
    return { status: 'unavailable' as const, status_reason: reason };
  }
  if (cannotSend !== undefined) return { status: 'cannot_send' as const, status_reason: cannotSend };
  return { status: 'ready' as const, status_reason: null };
}
