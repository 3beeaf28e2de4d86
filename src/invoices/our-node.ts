import { bindLedger, boundNode, ForeignLedger, ledgerNodeId, type NodeIdentity } from '../db/binding.ts';
import type { Database } from '../db/database.ts';
import { withTimeout } from '../kernel/clock.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import { TtlCache } from '../kernel/ttl-cache.ts';
import { HistoryChanged, type LightningNode, type NodeInfo, NodeUnavailable } from '../lightning/node.ts';

/** What the rooms around Lightning share: the node, and under which id and key the ledger knows it. */
export interface OurNode {
  /** Every call throws {@link NodeUnavailable} until the node has shown that it is the one the ledger belongs to. */
  readonly node: LightningNode;
  /** `lnd_…`, the API's `ln_node_id`. */
  readonly nodeId: string;
  /** @throws NodeUnavailable before the node was reached for the first time ever. */
  identity(): NodeIdentity;
  /** Whether the node answered within the last second. */
  isAvailable(): Promise<boolean>;
  /** Before something is begun that needs the node. @throws NodeUnavailable */
  requireAvailable(): Promise<void>;
}

/** Compares the node's history with what was read of it (src/payments/node-history.ts). */
export interface HistoryCheck {
  /** Called on every new connection, before anything else reaches the node. */
  verify(node: Pick<LightningNode, 'knowsPosition'>): Promise<void>;
  /** Called when the node reports the change itself. */
  historyChanged(): Promise<void>;
}

export interface MeetingDependencies {
  readonly database: Database;
  readonly node: LightningNode;
  readonly history: HistoryCheck;
  /** Another ledger that this one replaces on the node. */
  readonly replacesLedger?: string | undefined;
  readonly log: Log;
}

/**
 * Meets the node. One that cannot be reached now does not stop the service: what needs it is refused until it answers.
 * @throws ForeignLedger when the node is not the one the ledger was made for, or belongs to another ledger.
 */
export async function connectNode(deps: MeetingDependencies): Promise<OurNode> {
  const { database, log } = deps;
  const nodeId = await ledgerNodeId(database);
  const meeting = new Meeting({ ...deps, nodeId }, await boundNode(database));
  const node = guarded(deps.node, meeting);
  const available = new TtlCache<boolean>({ maxAgeMs: AVAILABLE_MS, maxSize: 1 });
  // Whoever has just answered something else need not be asked.
  const isAvailable = async () => meeting.hasJustAnswered() || (await available.get('', () => answers(node))) === true;
  try {
    await meeting.confirm();
  } catch (error) {
    if (!(error instanceof NodeUnavailable)) throw error;
    log.error({ reason: error.message }, 'the Lightning node cannot be reached: nothing is sent or received until it answers');
  }
  return {
    node,
    nodeId,
    identity: () => meeting.identity(),
    isAvailable,
    async requireAvailable() {
      if (!(await isAvailable())) throw new NodeUnavailable('the node does not answer');
    },
  };
}

/** Whether the node behind LIGHTNING_URL is the one the ledger belongs to; asked again after every lost connection. */
class Meeting {
  readonly #deps: MeetingDependencies & { readonly nodeId: string };
  #identity: NodeIdentity | undefined;
  #confirmed = false;
  #confirming: Promise<void> | undefined;
  #answeredAtMs = Number.NEGATIVE_INFINITY;

  constructor(deps: MeetingDependencies & { readonly nodeId: string }, identity: NodeIdentity | undefined) {
    this.#deps = deps;
    this.#identity = identity;
  }

  identity(): NodeIdentity {
    if (!this.#identity) throw new NodeUnavailable('the node was never reached');
    return this.#identity;
  }

  historyChanged(): Promise<void> {
    return this.#deps.history.historyChanged();
  }

  doubt(): void {
    this.#confirmed = false;
    this.#answeredAtMs = Number.NEGATIVE_INFINITY;
  }

  /** The node has answered a call. */
  heard(): void {
    this.#answeredAtMs = performance.now();
  }

  hasJustAnswered(): boolean {
    return this.#confirmed && performance.now() - this.#answeredAtMs < AVAILABLE_MS;
  }

  /** @throws NodeUnavailable, ForeignLedger */
  async confirm(): Promise<void> {
    if (this.#confirmed) return;
    this.#confirming ??= this.#ask().finally(() => {
      this.#confirming = undefined;
    });
    await this.#confirming;
  }

  /** Two ledgers on one node would reject or book each other's payments. @throws ForeignLedger */
  async #claim(): Promise<void> {
    const { node, nodeId, replacesLedger, log } = this.#deps;
    const owner = await greet(async () => node.claimForLedger?.(nodeId, replacesLedger));
    if (owner !== undefined && owner !== nodeId) {
      throw new ForeignLedger(
        `The Lightning node belongs to another ledger, ${owner}; this database holds ${nodeId}. ` +
          'Point DATABASE_URL to the database of that ledger, or LIGHTNING_URL to a node of its own. ' +
          `If the other ledger is retired or lost, stop its service and start this one with TAKE_OVER_FROM_LEDGER=${owner}.`,
      );
    }
    if (replacesLedger !== undefined)
      log.warn({ replacesLedger }, 'TAKE_OVER_FROM_LEDGER is set: this ledger replaces that one on the node');
  }

  async #ask(): Promise<void> {
    const { database, node, history } = this.#deps;
    const { pubkey, network } = await hello(node);
    if (this.#identity) await bindLedger(database, { pubkey, network });
    // A new ledger is bound for good, so it must not be bound to a node that is not free.
    await this.#claim();
    await bindLedger(database, { pubkey, network });
    await history.verify({ knowsPosition: (position) => greet(() => node.knowsPosition(position)) });
    this.#identity = { pubkey, network };
    this.#confirmed = true;
  }
}

/** How long an answer of the node counts as a sign that it is there. */
const AVAILABLE_MS = 1000;
/** How long a call may take; whoever made it then does not know its outcome, and a payment stays pending. */
const CALL_MS = 60_000;
/** A node that takes longer to say who it is counts as one that cannot be reached. */
const HELLO_MS = 5000;

/** The node behind the meeting: nothing reaches a node that has not been confirmed, and nobody waits for it for ever. */
function guarded(node: LightningNode, meeting: Meeting): LightningNode {
  async function met(): Promise<LightningNode> {
    try {
      await meeting.confirm();
      return node;
    } catch (error) {
      throw error instanceof ForeignLedger ? new NodeUnavailable(errorMessage(error)) : error;
    }
  }
  const queryRoutes = node.queryRoutes?.bind(node);
  async function ask<T>(call: (node: LightningNode) => Promise<T>): Promise<T> {
    const answer = await withTimeout(CALL_MS, call(await met()), silence);
    meeting.heard();
    return answer;
  }
  return {
    info: async () => hello(await met()),
    createInvoice: (request) => ask((one) => one.createInvoice(request)),
    cancelInvoice: (paymentHash) => ask((one) => one.cancelInvoice(paymentHash)),
    pay: (order) => ask((one) => one.pay(order)),
    keysend: (order) => ask((one) => one.keysend(order)),
    lookupPayment: (paymentId) => ask((one) => one.lookupPayment(paymentId)),
    lookupInvoice: (paymentHash) => ask((one) => one.lookupInvoice(paymentHash)),
    balance: () => ask((one) => one.balance()),
    knowsPosition: (position) => ask((one) => one.knowsPosition(position)),
    ...(queryRoutes && { queryRoutes: (query) => ask(() => queryRoutes(query)) }),
    guardIncoming: (guard) => node.guardIncoming(guard),
    async *watch(position, signal) {
      try {
        yield* (await met()).watch(position, signal);
      } catch (error) {
        if (error instanceof HistoryChanged) await meeting.historyChanged();
        throw error;
      } finally {
        meeting.doubt();
      }
    },
    close: () => node.close(),
  };
}

function hello(node: LightningNode): Promise<NodeInfo> {
  return withTimeout(HELLO_MS, node.info(), () => new NodeUnavailable('the node does not answer'));
}

/** A node that does not answer the questions of a new connection cannot be reached, whatever the reason. @throws NodeUnavailable */
async function greet<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await withTimeout(HELLO_MS, ask(), () => new NodeUnavailable('the node does not answer'));
  } catch (error) {
    throw error instanceof NodeUnavailable ? error : new NodeUnavailable(errorMessage(error));
  }
}

function silence(): Error {
  return new Error(`the node did not answer within ${CALL_MS / 1000} seconds; what came of it is unknown`);
}

async function answers(node: LightningNode): Promise<boolean> {
  try {
    await node.info();
    return true;
  } catch {
    return false;
  }
}
