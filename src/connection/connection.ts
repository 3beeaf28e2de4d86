import type { Database } from '../db/database.ts';
import { withTimeout } from '../kernel/clock.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import { TtlCache } from '../kernel/ttl-cache.ts';
import { HistoryChanged, type LightningNode, type NodeInfo, NodeUnavailable } from '../lightning/node.ts';
import { bindLedger, boundNode, ForeignLedger, ledgerNodeId, type NodeIdentity } from './binding.ts';
import type { EventPosition } from './position.ts';

/** The connection to the Lightning node that holds the ledger's money. */
export interface NodeConnection {
  /** The node. Every call throws {@link NodeUnavailable} until the node was identified as the one to which the ledger is bound. */
  readonly node: LightningNode;
  /** `lnd_…`, the API's `ln_node_id`. */
  readonly nodeId: string;
  /** @throws NodeUnavailable when the node was never reached since the ledger was created. */
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
  readonly database: Database;
  readonly node: LightningNode;
  readonly position: Pick<EventPosition, 'verify' | 'reset'>;
  /** The ledger (`lnd_…`) that this one replaces on the node. */
  readonly replacesLedger?: string | undefined;
  readonly log: Log;
}

/**
 * Connects to the node and identifies it. If the node cannot be reached, the service starts nevertheless, and rejects requests that need
 * the node until it answers.
 * @throws ForeignLedger when the node is not the one to which the ledger is bound, or belongs to another ledger.
 */
export async function connectNode(deps: ConnectionDependencies): Promise<NodeConnection> {
  const { database, log } = deps;
  const nodeId = await ledgerNodeId(database);
  const identification = new Identification({ ...deps, nodeId }, await boundNode(database));
  const node = identifiedNode(deps.node, identification);
  const reachable = new TtlCache<boolean>({ maxAgeMs: AVAILABLE_MS, maxSize: 1 });
  // A node that has just answered another call is not called again.
  const isAvailable = async () => identification.answeredRecently() || (await reachable.get('', () => isReachable(node))) === true;
  const sending = new TtlCache<NodeInfo>({ maxAgeMs: CAN_SEND_MS, maxSize: 1 });
  async function requireAvailable(): Promise<void> {
    if (!(await isAvailable())) throw new NodeUnavailable('the node does not answer');
  }
  try {
    await identification.ensure();
    const cannotSend = identification.info()?.cannotSend;
    if (cannotSend) log.error({ reason: cannotSend }, 'the Lightning node cannot send payments yet; requests that send one are rejected');
  } catch (error) {
    if (!(error instanceof NodeUnavailable)) throw error;
    log.error({ reason: error.message }, 'the Lightning node cannot be reached: nothing is sent or received until it answers');
  }
  return {
    node,
    nodeId,
    identity: () => identification.identity(),
    info: () => identification.info(),
    isAvailable,
    requireAvailable,
    async requireCanSend() {
      await requireAvailable();
      const info = await sending.get('', () => node.info());
      if (info?.cannotSend) throw new NodeUnavailable(info.cannotSend);
    },
  };
}

/** Checks that the node behind LIGHTNING_URL is the one to which the ledger is bound; again after each lost connection. */
class Identification {
  readonly #deps: ConnectionDependencies & { readonly nodeId: string };
  #identity: NodeIdentity | undefined;
  #info: NodeInfo | undefined;
  #isValid = false;
  #running: Promise<void> | undefined;
  #answeredAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: ConnectionDependencies & { readonly nodeId: string }, identity: NodeIdentity | undefined) {
    this.#deps = deps;
    this.#identity = identity;
  }

  identity(): NodeIdentity {
    if (!this.#identity) throw new NodeUnavailable('the node was never reached');
    return this.#identity;
  }

  info(): NodeInfo | undefined {
    return this.#info;
  }

  /** Reads what the node reports about itself. @throws NodeUnavailable */
  async readInfo(): Promise<NodeInfo> {
    this.#info = await withTimeout(IDENTIFICATION_MS, this.#deps.node.info(), () => new NodeUnavailable('the node does not answer'));
    return this.#info;
  }

  resetPosition(): Promise<void> {
    return this.#deps.position.reset();
  }

  /** Requires a new check before the next call. */
  invalidate(): void {
    this.#isValid = false;
    this.#answeredAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Records that the node has answered a call. */
  recordAnswer(): void {
    this.#answeredAtMs = performance.now();
  }

  answeredRecently(): boolean {
    return this.#isValid && performance.now() - this.#answeredAtMs < AVAILABLE_MS;
  }

  /** @throws NodeUnavailable, ForeignLedger */
  async ensure(): Promise<void> {
    if (this.#isValid) return;
    this.#running ??= this.#identify().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  async #identify(): Promise<void> {
    const { database, node, position } = this.#deps;
    const { pubkey, network } = await this.readInfo();
    if (this.#identity) await bindLedger(database, { pubkey, network });
    // A binding is permanent, so a new ledger is bound only to a node that belongs to no other ledger.
    await this.#claimNode();
    await bindLedger(database, { pubkey, network });
    await position.verify({ knowsPosition: (one) => callToIdentify(() => node.knowsPosition(one)) });
    this.#identity = { pubkey, network };
    this.#isValid = true;
  }

  /** Claims the node for this ledger. Two ledgers on one node would reject or book each other's payments. @throws ForeignLedger */
  async #claimNode(): Promise<void> {
    const { node, nodeId, replacesLedger, log } = this.#deps;
    const owner = await callToIdentify(async () => node.claimForLedger?.(nodeId, replacesLedger));
    if (owner !== undefined && owner !== nodeId) {
      throw new ForeignLedger(
        `The Lightning node belongs to another ledger, ${owner}; this database holds ${nodeId}. ` +
          'Set DATABASE_URL to the database of that ledger, or LIGHTNING_URL to a node without a ledger. ' +
          `If the other ledger is retired or lost, stop its service and start this one with TAKE_OVER_FROM_LEDGER=${owner}.`,
      );
    }
    if (replacesLedger !== undefined)
      log.warn({ replacesLedger }, 'TAKE_OVER_FROM_LEDGER is set: this ledger replaces that one on the node');
  }
}

/** For this long after an answer the node counts as available. */
const AVAILABLE_MS = 1000;
/** For this long the node's last report on whether it can send counts. */
const CAN_SEND_MS = 5000;
/** The time limit of a call. After it the outcome of the call is unknown, and a payment stays pending. */
const CALL_MS = 60_000;
/** The time limit of the calls that identify the node. After it the node counts as unavailable. */
const IDENTIFICATION_MS = 5000;

/** Returns the node, with a time limit for each call, and with no call before the node is identified. */
function identifiedNode(node: LightningNode, identification: Identification): LightningNode {
  async function identified(): Promise<LightningNode> {
    try {
      await identification.ensure();
      return node;
    } catch (error) {
      throw error instanceof ForeignLedger ? new NodeUnavailable(errorMessage(error)) : error;
    }
  }
  const queryRoutes = node.queryRoutes?.bind(node);
  const watchPayments = node.watchPayments?.bind(node);
  const collectEvidence = node.collectEvidence?.bind(node);
  async function ask<T>(call: (node: LightningNode) => Promise<T>): Promise<T> {
    const answer = await withTimeout(CALL_MS, call(await identified()), callTimeout);
    identification.recordAnswer();
    return answer;
  }
  return {
    async info() {
      await identified();
      return identification.readInfo();
    },
    createInvoice: (request) => ask((one) => one.createInvoice(request)),
    cancelInvoice: (paymentHash) => ask((one) => one.cancelInvoice(paymentHash)),
    pay: (order) => ask((one) => one.pay(order)),
    keysend: (order) => ask((one) => one.keysend(order)),
    lookupPayment: (payment) => ask((one) => one.lookupPayment(payment)),
    lookupInvoice: (paymentHash) => ask((one) => one.lookupInvoice(paymentHash)),
    balance: () => ask((one) => one.balance()),
    knowsPosition: (position) => ask((one) => one.knowsPosition(position)),
    ...(queryRoutes && { queryRoutes: (query) => ask(() => queryRoutes(query)) }),
    ...(collectEvidence && { collectEvidence: (payment) => ask(() => collectEvidence(payment)) }),
    guardIncoming: (guard) => node.guardIncoming(guard),
    ...(watchPayments && {
      async *watchPayments(signal: AbortSignal) {
        await identified();
        yield* watchPayments(signal);
      },
    }),
    async *watch(position, signal) {
      try {
        yield* (await identified()).watch(position, signal);
      } catch (error) {
        if (error instanceof HistoryChanged) await identification.resetPosition();
        throw error;
      } finally {
        identification.invalidate();
      }
    },
    close: () => node.close(),
  };
}

/** Makes a call that identifies the node. Any failure of it means that the node cannot be used. @throws NodeUnavailable */
async function callToIdentify<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await withTimeout(IDENTIFICATION_MS, call(), () => new NodeUnavailable('the node does not answer'));
  } catch (error) {
    throw error instanceof NodeUnavailable ? error : new NodeUnavailable(errorMessage(error));
  }
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
