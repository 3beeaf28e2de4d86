import { withTimeout } from '../kernel/clock.ts';
import { errorMessage } from '../kernel/log.ts';
import { TtlCache } from '../kernel/ttl-cache.ts';
import {
  HistoryChanged,
  type IncomingGuard,
  type InvoiceRequest,
  type KeysendOrder,
  type LightningNode,
  type NodeInfo,
  NodeUnavailable,
  type PaymentOrder,
  type PaymentReference,
  type Position,
} from '../lightning/node.ts';
import { ForeignLedger, type LedgerNode, type NodeIdentity } from './binding.ts';
import { callToIdentify, type Endpoint, type Endpoints } from './endpoint.ts';
import type { EventPosition } from './position.ts';

/** The connection to one of the Lightning nodes that hold the ledger's money. */
export interface NodeConnection {
  /** The node. Every call throws {@link NodeUnavailable} until the node was identified. */
  readonly node: LightningNode;
  /** `lnd_…`, the API's `ln_node_id`. */
  readonly nodeId: string;
  /** The ledger account of the node. */
  readonly ledgerAccount: number;
  /** Unix seconds. */
  readonly createdAt: number;
  /** The position up to which its events are booked. */
  readonly position: EventPosition;
  /** Returns whether the node was ever reached since it was added to the ledger. */
  wasReached(): boolean;
  /** @throws NodeUnavailable when the node was never reached since it was added to the ledger. */
  identity(): NodeIdentity;
  /** Returns what the node last reported about itself; undefined before this process has reached it. */
  info(): NodeInfo | undefined;
  /** Returns whether the node answered within the last second. */
  isAvailable(): Promise<boolean>;
  /** Call it before an operation that needs the node. @throws NodeUnavailable */
  requireAvailable(): Promise<void>;
  /** Call it before an operation that sends a payment over the network. @throws NodeUnavailable also if the node cannot send now. */
  requireCanSend(): Promise<void>;
}

export interface ConnectionDependencies {
  readonly endpoints: Endpoints;
  readonly position: EventPosition;
}

/** Returns the connection to a node of the ledger. The node is identified before the first call, and again after each lost connection. */
export function connectionTo(ledgerNode: LedgerNode, { endpoints, position }: ConnectionDependencies): NodeConnection {
  const { id: nodeId, ledgerAccount, createdAt } = ledgerNode;
  const identification = new Identification(ledgerNode, endpoints, position);
  const node = identifiedNode(identification);
  const reachable = new TtlCache<boolean>({ maxAgeMs: AVAILABLE_MS, maxSize: 1 });
  // A node that has just answered another call is not called again.
  const isAvailable = async () => identification.answeredRecently() || (await reachable.get('', () => isReachable(node))) === true;
  async function requireAvailable(): Promise<void> {
    if (!(await isAvailable())) throw new NodeUnavailable('the node does not answer');
  }
  return {
    node,
    nodeId,
    ledgerAccount,
    createdAt,
    position,
    wasReached: () => identification.wasReached(),
    identity: () => identification.identity(),
    info: () => identification.endpoint()?.info,
    isAvailable,
    requireAvailable,
    async requireCanSend() {
      await requireAvailable();
      const reason = await identification.cannotSend(() => node.info());
      if (reason !== undefined) throw new NodeUnavailable(reason);
    },
  };
}

/** Finds the endpoint that is the node, and verifies the position of its events; again after each lost connection. */
class Identification {
  readonly #nodeId: string;
  readonly #endpoints: Endpoints;
  readonly #position: EventPosition;
  #identity: NodeIdentity | undefined;
  #isValid = false;
  #running: Promise<void> | undefined;
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  readonly #canSend = new TtlCache<NodeInfo>({ maxAgeMs: CAN_SEND_MS, maxSize: 1 });

  constructor({ id, identity }: LedgerNode, endpoints: Endpoints, position: EventPosition) {
    this.#nodeId = id;
    this.#identity = identity;
    this.#endpoints = endpoints;
    this.#position = position;
  }

  endpoint(): Endpoint | undefined {
    return this.#endpoints.of(this.#nodeId);
  }

  wasReached(): boolean {
    this.#identity ??= this.endpoint()?.matched?.identity;
    return this.#identity !== undefined;
  }

  identity(): NodeIdentity {
    if (!this.wasReached() || !this.#identity) throw new NodeUnavailable('the node was never reached');
    return this.#identity;
  }

  resetPosition(): Promise<void> {
    return this.#position.reset();
  }

  /** Requires a new check before the next call. */
  invalidate(): void {
    this.#isValid = false;
    this.#answeredAtMs = Number.NEGATIVE_INFINITY;
    // A node that was restarted has no active channel at first.
    this.#canSend.forget('');
  }

  /** Returns why the node cannot send payments now; undefined if it can. Only the latter is cached: its channels may be active a moment later. */
  async cannotSend(readInfo: () => Promise<NodeInfo>): Promise<string | undefined> {
    const info = await this.#canSend.get('', readInfo);
    if (info?.cannotSend) this.#canSend.forget('');
    return info?.cannotSend;
  }

  /** Records that the node has answered a call. */
  recordAnswer(): void {
    this.#answeredAtMs = performance.now();
  }

  answeredRecently(): boolean {
    return this.#isValid && performance.now() - this.#answeredAtMs < AVAILABLE_MS;
  }

  /** Returns the identified endpoint. @throws NodeUnavailable */
  async ensure(): Promise<Endpoint> {
    if (!this.#isValid) {
      this.#running ??= this.#identify().finally(() => {
        this.#running = undefined;
      });
      await this.#running;
    }
    const endpoint = this.endpoint();
    if (!endpoint) throw new NodeUnavailable('the node is not identified');
    return endpoint;
  }

  async #identify(): Promise<void> {
    try {
      const { node, matched } = await this.#endpoints.identify(this.#nodeId);
      await this.#position.verify({ knowsPosition: (one) => callToIdentify(() => node.knowsPosition(one)) });
      this.#identity = matched?.identity;
      this.#isValid = true;
    } catch (error) {
      throw error instanceof ForeignLedger ? new NodeUnavailable(errorMessage(error)) : error;
    }
  }
}

/** For this long after an answer the node counts as available. */
const AVAILABLE_MS = 1000;
/** For this long the node's last report that it can send counts. */
const CAN_SEND_MS = 5000;
/** The time limit of a call. After it the outcome of the call is unknown, and a payment stays pending. */
const CALL_MS = 60_000;

/** Returns the node, with a time limit for each call, and with no call before the node is identified. */
function identifiedNode(identification: Identification): LightningNode {
  const identified = async (): Promise<LightningNode> => (await identification.ensure()).node;
  const adapter = () => identification.endpoint()?.node;
  async function callNode<T>(call: (node: LightningNode) => Promise<T>): Promise<T> {
    const answer = await withTimeout(CALL_MS, call(await identified()), callTimeout);
    identification.recordAnswer();
    return answer;
  }
  const calls = {
    async info() {
      return (await identification.ensure()).readInfo();
    },
    createInvoice: (request: InvoiceRequest) => callNode((one) => one.createInvoice(request)),
    cancelInvoice: (paymentHash: string) => callNode((one) => one.cancelInvoice(paymentHash)),
    pay: (order: PaymentOrder) => callNode((one) => one.pay(order)),
    keysend: (order: KeysendOrder) => callNode((one) => one.keysend(order)),
    lookupPayment: (payment: PaymentReference) => callNode((one) => one.lookupPayment(payment)),
    lookupInvoice: (paymentHash: string) => callNode((one) => one.lookupInvoice(paymentHash)),
    balance: () => callNode((one) => one.balance()),
    knowsPosition: (position: Position) => callNode((one) => one.knowsPosition(position)),
    // Whether an adapter has the optional calls is known once it is found.
    get queryRoutes() {
      const call = adapter()?.queryRoutes?.bind(adapter());
      return call && ((query: Parameters<typeof call>[0]) => callNode(() => call(query)));
    },
    get listChannels() {
      const call = adapter()?.listChannels?.bind(adapter());
      return call && (() => callNode(call));
    },
    get collectEvidence() {
      const call = adapter()?.collectEvidence?.bind(adapter());
      return call && ((payment: Parameters<typeof call>[0]) => callNode(() => call(payment)));
    },
    get watchPayments() {
      const call = adapter()?.watchPayments?.bind(adapter());
      return call && ((signal: AbortSignal) => watchIdentified(identification, call, signal));
    },
    guardIncoming: (guard: IncomingGuard) => adapter()?.guardIncoming(guard),
    async *watch(position: Position | undefined, signal: AbortSignal) {
      try {
        yield* (await identified()).watch(position, signal);
      } catch (error) {
        if (error instanceof HistoryChanged) await identification.resetPosition();
        throw error;
      } finally {
        identification.invalidate();
      }
    },
    close: async () => adapter()?.close(),
  };
  return calls as LightningNode;
}

async function* watchIdentified(
  identification: Identification,
  watchPayments: (signal: AbortSignal) => AsyncIterable<string>,
  signal: AbortSignal,
): AsyncIterable<string> {
  await identification.ensure();
  yield* watchPayments(signal);
}

function callTimeout(): Error {
  return new Error(`the node did not answer within ${CALL_MS / 1000} seconds; the outcome of the call is unknown`);
}

async function isReachable(node: LightningNode): Promise<boolean> {
  try {
    await node.info();
    return true;
  } catch {
    return false;
  }
}
