import type { Database } from '../db/database.ts';
import { withTimeout } from '../kernel/clock.ts';
import { errorMessage } from '../kernel/log.ts';
import { sharedCall } from '../kernel/shared-call.ts';
import { withHoldSetting } from '../lightning/hold-offer.ts';
import { type LightningNode, type NodeInfo, NodeUnavailable, type Settlement } from '../lightning/node.ts';
import { bindNode, ForeignLedger, matchingNode } from './ledger-nodes.ts';

export interface NodeUrlOptions {
  readonly database: Database;
  /** The adapter of each URL of LIGHTNING_URL. */
  readonly nodes: readonly LightningNode[];
  /** The id of the ledger, which its nodes store. */
  readonly ledgerId: string;
  /** The ledger (`lnd_…`) that this one replaces on its nodes. */
  readonly replacesLedger?: string | undefined;
  /** Whether the records of its nodes are read back into an empty ledger, so that earlier events need not be read. */
  readonly isReadBack?: boolean | undefined;
  /** The setting HOLD_INVOICES. Undefined: hold invoices are offered on nodes without a known risk. */
  readonly holdInvoices?: boolean | undefined;
}

/** The adapter that leads to a node of the ledger, and what the node reported when it was identified. */
export interface FoundNode {
  readonly nodeId: string;
  readonly adapter: LightningNode;
  readonly info: NodeInfo;
}

/** A URL with the node that was identified behind it, or the reason why none was. */
interface IdentifiedUrl {
  /** From 1. */
  readonly number: number;
  readonly found?: FoundNode;
  readonly error?: unknown;
}

/** The time limit of the calls that identify the node. After it the node counts as unavailable. */
const IDENTIFICATION_MS = 5000;
/** The time limit for the newest settlement, which is read once in the life of a node: LND lists 5,000 invoices per second. */
const NEWEST_MS = 600_000;

/** The nodes behind the URLs of LIGHTNING_URL. Its public key decides which node of the ledger each one is. */
export class NodeUrls {
  readonly #options: NodeUrlOptions;
  /** The nodes that were identified. A URL leads to the same node of the ledger until the service is restarted. */
  readonly #nodeIds = new Map<LightningNode, string>();

  constructor(options: NodeUrlOptions) {
    this.#options = options;
  }

  /** Identifies a node of the ledger, and all unknown ones to find it. @throws NodeUnavailable, ForeignLedger */
  async identify(nodeId: string): Promise<FoundNode> {
    const known = this.#options.nodes.find((one) => this.#nodeIds.get(one) === nodeId);
    if (known) return this.#identifyOne(known, await readInfo(known, this.#options.holdInvoices));
    const results = await this.identifyUnknown();
    const found = results.find((one) => one.found?.nodeId === nodeId)?.found;
    if (found) return found;
    const [only, ...others] = results;
    if (only && !only.found && others.length === 0) throw only.error;
    throw new NodeUnavailable('no URL of LIGHTNING_URL leads to the node, or the node does not answer');
  }

  /** Identifies all nodes that were not identified yet. */
  readonly identifyUnknown = sharedCall(async () => {
    const results: IdentifiedUrl[] = [];
    for await (const result of this.identifyInOrder()) results.push(result);
    return results;
  });

  /** Identifies the nodes that were not identified yet, in the order of the URLs. A caller that stops reading binds no further ones. */
  async *identifyInOrder(): AsyncGenerator<IdentifiedUrl, void> {
    const { nodes, holdInvoices } = this.#options;
    const unknown = [...nodes.entries()].filter(([, one]) => !this.#nodeIds.has(one));
    const reading = unknown.map(([index, adapter]) => ({ adapter, number: index + 1, info: readInfo(adapter, holdInvoices) }));
    await Promise.allSettled(reading.map(({ info }) => info));
    for (const { adapter, number, info } of reading) yield await this.#identifyUrl(number, adapter, info);
  }

  async #identifyUrl(number: number, adapter: LightningNode, info: Promise<NodeInfo>): Promise<IdentifiedUrl> {
    try {
      return { number, found: await this.#identifyOne(adapter, await info) };
    } catch (error) {
      const isOneOfMany = error instanceof ForeignLedger && this.#options.nodes.length > 1;
      return { number, error: isOneOfMany ? new ForeignLedger(`URL ${number} of LIGHTNING_URL: ${error.message}`) : error };
    }
  }

  /** Returns which node of the ledger an adapter leads to. Binds and claims a new one. @throws NodeUnavailable, ForeignLedger */
  async #identifyOne(adapter: LightningNode, info: NodeInfo): Promise<FoundNode> {
    const { database, nodes } = this.#options;
    const known = await matchingNode(database, info, nodes.length);
    const before = this.#nodeIds.get(adapter);
    if (before !== undefined && before !== known.id)
      throw new ForeignLedger(`A URL of LIGHTNING_URL led to ${before} and now leads to ${known.id}. Restart the service.`);
    // A binding is permanent, so a new node is bound only if it belongs to no other ledger.
    await this.#claim(adapter);
    const { id } = known.identity ? known : await bindNode(database, info, nodes.length, await this.#newestSettlement(adapter));
    for (const [other, nodeId] of this.#nodeIds)
      if (nodeId === id && other !== adapter)
        throw new ForeignLedger('Two URLs of LIGHTNING_URL lead to the same node. Remove one of them.');
    this.#nodeIds.set(adapter, id);
    return { nodeId: id, adapter, info };
  }

  /** What arrived before the ledger is not for its wallets. What arrived for a ledger that this one replaces is booked to suspense. */
  async #newestSettlement(adapter: LightningNode): Promise<Settlement | undefined> {
    const { replacesLedger, isReadBack = false } = this.#options;
    if (!adapter.newestSettlement || (replacesLedger !== undefined && !isReadBack)) return undefined;
    return withTimeout(NEWEST_MS, adapter.newestSettlement(), () => new NodeUnavailable('the node does not list its invoices'));
  }

  /** Claims the node for this ledger. Two ledgers on one node would reject or book each other's payments. @throws ForeignLedger */
  async #claim(adapter: LightningNode): Promise<void> {
    const { ledgerId, replacesLedger } = this.#options;
    const owner = await callToIdentify(async () => adapter.claimForLedger?.(ledgerId, replacesLedger));
    if (owner === undefined || owner === ledgerId) return;
    throw new ForeignLedger(
      `The Lightning node belongs to another ledger, ${owner}; this database holds ${ledgerId}. ` +
        'Set DATABASE_URL to the database of that ledger, or LIGHTNING_URL to a node without a ledger. ' +
        `If the other ledger is retired or lost, stop its service and start this one with TAKE_OVER_FROM_LEDGER=${owner}.`,
    );
  }
}

/** Reads what a node reports about itself, and which calls the credential does not permit. @throws NodeUnavailable */
export function readInfo(adapter: LightningNode, holdInvoices: boolean | undefined): Promise<NodeInfo> {
  return callToIdentify(async () => {
    const info = withHoldSetting(await adapter.info(), holdInvoices);
    // The node reports a credential that cannot be read. It may be replaced at any time.
    const { missing = [] } = (await adapter.checkCredential?.().catch(() => undefined)) ?? {};
    return missing.length > 0 ? { ...info, missingCalls: missing } : info;
  });
}

/** Makes a call that identifies the node. Any failure of it means that the node cannot be used. @throws NodeUnavailable */
export async function callToIdentify<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await withTimeout(IDENTIFICATION_MS, call(), () => new NodeUnavailable('the node does not answer'));
  } catch (error) {
    throw error instanceof NodeUnavailable ? error : new NodeUnavailable(errorMessage(error));
  }
}
