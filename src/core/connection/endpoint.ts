import type { Database } from '../db/database.ts';
import { withTimeout } from '../kernel/clock.ts';
import { errorMessage } from '../kernel/log.ts';
import { type LightningNode, type NodeInfo, NodeUnavailable, type Position } from '../lightning/node.ts';
import { bindNode, ForeignLedger, type LedgerNode, ledgerNodes, matchingNode } from './binding.ts';

export interface EndpointDependencies {
  readonly database: Database;
  /** The id of the ledger, which its nodes store. */
  readonly ledgerId: string;
  /** The ledger (`lnd_…`) that this one replaces on the node. */
  readonly replacesLedger?: string | undefined;
}

/** The time limit of the calls that identify the node. After it the node counts as unavailable. */
const IDENTIFICATION_MS = 5000;
/** The time limit for the newest position, which is read once in the life of a node: LND lists 5,000 invoices per second. */
const NEWEST_MS = 600_000;

/** The node behind one URL of LIGHTNING_URL. Its public key decides which node of the ledger it is. */
export class Endpoint {
  readonly node: LightningNode;
  readonly #deps: EndpointDependencies;
  readonly #urls: number;
  #info: NodeInfo | undefined;
  #matched: LedgerNode | undefined;
  #running: Promise<LedgerNode> | undefined;

  /** `urls` is the number of URLs of LIGHTNING_URL. */
  constructor(deps: EndpointDependencies, node: LightningNode, urls: number) {
    this.#deps = deps;
    this.node = node;
    this.#urls = urls;
  }

  /** What the node last reported about itself. */
  get info(): NodeInfo | undefined {
    return this.#info;
  }

  /** The node of the ledger that it is; undefined until it was identified. */
  get matched(): LedgerNode | undefined {
    return this.#matched;
  }

  /** Reads what the node reports about itself. @throws NodeUnavailable */
  async readInfo(): Promise<NodeInfo> {
    this.#info = await callToIdentify(() => this.node.info());
    return this.#info;
  }

  /** Finds out which node of the ledger this is, and binds and claims a new one. @throws NodeUnavailable, ForeignLedger */
  identify(): Promise<LedgerNode> {
    this.#running ??= this.#identify().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #identify(): Promise<LedgerNode> {
    const { database } = this.#deps;
    const { pubkey, network } = await this.readInfo();
    const identity = { pubkey, network };
    const known = matchingNode(await ledgerNodes(database), identity, this.#urls);
    if (this.#matched && known.id !== this.#matched.id)
      throw new ForeignLedger(`A URL of LIGHTNING_URL led to ${this.#matched.id} and now leads to ${known.id}. Restart the service.`);
    // A binding is permanent, so a new node is bound only if it belongs to no other ledger.
    await this.#claimNode();
    this.#matched = known.identity ? known : await bindNode(database, identity, this.#urls, await this.#newestPosition());
    return this.#matched;
  }

  /** What arrived before the ledger is not for its wallets. What arrived for a ledger that this one replaces is booked to suspense. */
  async #newestPosition(): Promise<Position | undefined> {
    const { node } = this;
    if (!node.newestPosition || this.#deps.replacesLedger !== undefined) return undefined;
    return withTimeout(NEWEST_MS, node.newestPosition(), () => new NodeUnavailable('the node does not list its invoices'));
  }

  /** Claims the node for this ledger. Two ledgers on one node would reject or book each other's payments. @throws ForeignLedger */
  async #claimNode(): Promise<void> {
    const { ledgerId, replacesLedger } = this.#deps;
    const owner = await callToIdentify(async () => this.node.claimForLedger?.(ledgerId, replacesLedger));
    if (owner !== undefined && owner !== ledgerId) {
      throw new ForeignLedger(
        `The Lightning node belongs to another ledger, ${owner}; this database holds ${ledgerId}. ` +
          'Set DATABASE_URL to the database of that ledger, or LIGHTNING_URL to a node without a ledger. ' +
          `If the other ledger is retired or lost, stop its service and start this one with TAKE_OVER_FROM_LEDGER=${owner}.`,
      );
    }
  }
}

/** The endpoints of LIGHTNING_URL, and which node of the ledger each one is. */
export class Endpoints {
  readonly #all: readonly Endpoint[];

  constructor(deps: EndpointDependencies, nodes: readonly LightningNode[]) {
    this.#all = nodes.map((node) => new Endpoint(deps, node, nodes.length));
  }

  get all(): readonly Endpoint[] {
    return this.#all;
  }

  /** Returns the endpoint that was last found for a node; if there is only one, also before it is identified. */
  of(nodeId: string): Endpoint | undefined {
    const [only, ...others] = this.#all;
    const unidentified = others.length === 0 && !only?.matched ? only : undefined;
    return this.#all.find(({ matched }) => matched?.id === nodeId) ?? unidentified;
  }

  /** Identifies the endpoint of a node. Identifies those of unknown nodes, too, to find it. @throws NodeUnavailable, ForeignLedger */
  async identify(nodeId: string): Promise<Endpoint> {
    const known = this.#all.find(({ matched }) => matched?.id === nodeId);
    const candidates = known ? [known] : this.#all.filter(({ matched }) => !matched);
    const results = await Promise.allSettled(candidates.map((one) => one.identify()));
    const found = candidates.filter(({ matched }) => matched?.id === nodeId);
    if (found.length > 1) throw new ForeignLedger('Two URLs of LIGHTNING_URL lead to the same node. Remove one of them.');
    for (const result of results) if (result.status === 'rejected' && (known || candidates.length === 1)) throw result.reason;
    if (found[0]) return found[0];
    throw new NodeUnavailable('no URL of LIGHTNING_URL leads to the node, or the node does not answer');
  }

  /**
   * Identifies all endpoints. New ones are bound in the order of the URLs. Those that do not answer are identified later.
   * @returns the reason for each that does not answer, with its number.
   * @throws ForeignLedger
   */
  async identifyAll(): Promise<{ readonly number: number; readonly reason: string }[]> {
    const answers = await Promise.allSettled(this.#all.map((one) => one.readInfo()));
    const unavailable: { number: number; reason: string }[] = [];
    const seen = new Set<string>();
    for (const [index, answer] of answers.entries()) {
      try {
        if (answer.status === 'rejected') throw answer.reason;
        const { id } = (await this.#all[index]?.identify()) ?? { id: '' };
        if (seen.has(id)) throw new ForeignLedger('Two URLs of LIGHTNING_URL lead to the same node. Remove one of them.');
        seen.add(id);
      } catch (error) {
        if (error instanceof ForeignLedger) throw this.#all.length === 1 ? error : numbered(index + 1, error);
        if (!(error instanceof NodeUnavailable)) throw error;
        unavailable.push({ number: index + 1, reason: errorMessage(error) });
      }
    }
    return unavailable;
  }
}

function numbered(number: number, { message }: ForeignLedger): ForeignLedger {
  return new ForeignLedger(`URL ${number} of LIGHTNING_URL: ${message}`);
}

/** Makes a call that identifies the node. Any failure of it means that the node cannot be used. @throws NodeUnavailable */
export async function callToIdentify<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await withTimeout(IDENTIFICATION_MS, call(), () => new NodeUnavailable('the node does not answer'));
  } catch (error) {
    throw error instanceof NodeUnavailable ? error : new NodeUnavailable(errorMessage(error));
  }
}
