import type { SqlReader } from '../db/database.ts';
import { type Clock, pause, unixSeconds } from '../kernel/clock.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import type { Msat } from '../kernel/money.ts';
import { type IncomingGuard, type LightningNode, type NodeInfo, NodeUnavailable, type Position } from '../lightning/node.ts';
import { NodeConnection } from './connection.ts';
import { addMissingNodes, ledgerNodes, type RestoreContext, rewindPosition, verifyPosition } from './ledger-nodes.ts';
import { callToIdentify, type FoundNode, type NodeUrlOptions, NodeUrls } from './node-urls.ts';

/** The interval between two reads of the nodes' figures. */
const POLL_MS = 15_000;

/** The connections to the Lightning nodes of the ledger. */
export class NodeConnections {
  /** In the order in which the nodes were added to the ledger. */
  readonly all: readonly NodeConnection[];
  readonly #nodes: readonly LightningNode[];
  readonly #database: SqlReader;

  /** `nodes` are the adapters of LIGHTNING_URL. */
  constructor(all: readonly NodeConnection[], nodes: readonly LightningNode[], database: SqlReader) {
    this.all = all;
    this.#nodes = nodes;
    this.#database = database;
  }

  /** Returns the connection to a node; undefined for an unknown one, and for one that another instance has added since this one was started. */
  find(nodeId: string): NodeConnection | undefined {
    return this.all.find((one) => one.nodeId === nodeId);
  }

  /** @throws NodeUnavailable for a node that another instance has added since this one was started. */
  of(nodeId: string): NodeConnection {
    const found = this.find(nodeId);
    if (!found) throw new NodeUnavailable('the node was added by another instance; this one must be restarted');
    return found;
  }

  /** Returns what the channels of a node can send now; undefined if it is unknown. */
  spendableMsat(nodeId: string): Msat | undefined {
    return this.find(nodeId)?.capacity()?.spendableMsat;
  }

  /** Returns what the channels of a node can receive now; undefined if it is unknown. */
  receivableMsat(nodeId: string): Msat | undefined {
    return this.find(nodeId)?.capacity()?.receivableMsat;
  }

  /** Returns whether a public key is that of a node of the ledger. */
  owns(pubkey: string): boolean {
    return this.all.some((one) => one.wasReached() && one.identity().pubkey === pubkey);
  }

  /** Returns the network of all nodes. @throws NodeUnavailable when no node was ever reached. */
  network(): NodeInfo['network'] {
    const reached = this.all.find((one) => one.wasReached());
    if (!reached) throw new NodeUnavailable('the node was never reached');
    return reached.identity().network;
  }

  /** Returns whether each node is known to be on a network without real money. */
  areOnTestNetworks(): boolean {
    return this.all.every((one) => one.wasReached() && one.identity().network !== 'bitcoin');
  }

  /** Returns whether a node answers. */
  async isAvailable(nodeId: string): Promise<boolean> {
    return (await this.find(nodeId)?.isAvailable()) === true;
  }

  /** Returns the ids of the nodes that get no new wallets. Another process may change the state. */
  async draining(): Promise<ReadonlySet<string>> {
    const listed = await ledgerNodes(this.#database);
    return new Set(listed.filter(({ state }) => state === 'draining').map(({ id }) => id));
  }

  /** Sets the function that decides on incoming payments of all nodes. */
  guardIncoming(guard: IncomingGuard): void {
    for (const node of this.#nodes) node.guardIncoming(guard);
  }

  /**
   * Reads what each node reports about itself, and its channels, until the signal aborts. Every instance does this: requests use the figures.
   */
  async poll(signal: AbortSignal, intervalMs = POLL_MS): Promise<void> {
    do await Promise.all(this.all.map((one) => one.readFigures()));
    while (!(await pause(intervalMs, signal)));
  }

  async close(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.close()));
  }
}

export interface NodeConnectOptions extends RestoreContext, Omit<NodeUrlOptions, 'ledgerId'> {
  readonly clock: Clock;
  readonly log: Log;
  /** See {@link ChainView}. */
  readonly maxBlockAgeSeconds?: number | undefined;
}

/**
 * Connects to the nodes and identifies them. If one cannot be reached, the service starts nevertheless, and rejects requests that need it until
 * it answers.
 * @throws ForeignLedger when a node is none of the ledger's and cannot be added, or belongs to another ledger.
 */
export async function connectNodes(options: NodeConnectOptions): Promise<NodeConnections> {
  const { database, nodes, replacesLedger, clock, log } = options;
  await addMissingNodes(database, nodes.length, unixSeconds(clock));
  const known = await ledgerNodes(database);
  const urls = new NodeUrls({ ...options, ledgerId: known[0].id });
  if (replacesLedger !== undefined)
    log.warn({ replacesLedger }, 'TAKE_OVER_FROM_LEDGER is set: this ledger replaces that one on its nodes');
  const found = await identifyAll(urls, log);
  for (const { id } of known.length === 1 ? [] : known)
    if (!found.some(({ nodeId }) => nodeId === id))
      log.error({ node: id }, 'no URL of LIGHTNING_URL has led to this node yet: its wallets send and receive nothing');
  await logCredentials(nodes, log);
  const all = known.map((node) => {
    const identify = async () => {
      const one = await urls.identify(node.id);
      await verifyPosition(options, node.id, (position) => callToIdentify(() => one.adapter.knowsPosition(position)));
      return one;
    };
    const { holdInvoices, maxBlockAgeSeconds } = options;
    const onHistoryChanged = (position: Position | undefined) => rewindPosition(options, node.id, position);
    return new NodeConnection(node, { identify, onHistoryChanged, holdInvoices, maxBlockAgeSeconds });
  });
  // Verifies the positions of the nodes that answer.
  await Promise.all(all.map((one) => one.isAvailable()));
  return new NodeConnections(all, nodes, database);
}

/** Identifies the nodes for the first time, and logs what keeps them from working. @throws ForeignLedger */
async function identifyAll(urls: NodeUrls, log: Log): Promise<FoundNode[]> {
  const all: FoundNode[] = [];
  for await (const { number, found, error } of urls.identifyInOrder()) {
    if (found) all.push(found);
    // The nodes of the URLs after it are not bound: the start fails, and a binding is permanent.
    else if (!(error instanceof NodeUnavailable)) throw error;
    else {
      const reason = errorMessage(error);
      log.error({ number, reason }, 'a Lightning node cannot be reached: its wallets send and receive nothing until it answers');
    }
  }
  for (const { nodeId: node, info } of all) {
    if (info.network === 'bitcoin')
      log.warn({ node }, 'the Lightning node is on the main network: its adapter was verified on regtest only');
    for (const advice of info.advice ?? []) log.warn({ node, advice }, 'a setting of the Lightning node should be changed');
    if (info.noHoldInvoices !== undefined) log.info({ node, reason: info.noHoldInvoices }, 'hold invoices are not offered');
    if (info.cannotSend !== undefined)
      log.error({ node, reason: info.cannotSend }, 'the Lightning node cannot send payments yet; requests that send one are rejected');
  }
  return all;
}

/** Logs each credential that lacks a permission or has more than the service needs. Calls to the node report one that cannot be read. */
async function logCredentials(nodes: readonly LightningNode[], log: Log): Promise<void> {
  const remedy = 'satchel node check prints the command that creates one';
  for (const [index, node] of nodes.entries()) {
    const { missing = [], excessive = [] } = (await node.checkCredential?.().catch(() => undefined)) ?? {};
    const number = index + 1;
    if (missing.length > 0)
      log.error({ number, missing }, `the credential of a Lightning node does not permit calls that the service needs; ${remedy}`);
    if (excessive.length > 0)
      log.warn({ number, excessive }, `the credential of a Lightning node permits more than the service needs; ${remedy}`);
  }
}
