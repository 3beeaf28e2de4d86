import type { Alerts } from '../alerts/alerts.ts';
import type { Database, SqlReader, Tx } from '../db/database.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { type IncomingGuard, type LightningNode, type NodeInfo, NodeUnavailable } from '../lightning/node.ts';
import { addMissingNodes, type LedgerNode, ledgerNodes, type NodeIdentity } from './binding.ts';
import { NodeConnection } from './connection.ts';
import { callToIdentify, NodeUrls } from './node-urls.ts';
import { resetPosition, verifyPosition } from './position.ts';

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

  /** @throws NodeUnavailable for a node that another instance has added since this one was started. */
  of(nodeId: string): NodeConnection {
    const found = this.#find(nodeId);
    if (!found) throw new NodeUnavailable('the node was added by another instance; this one must be restarted');
    return found;
  }

  /** Returns whether a public key is that of a node of the ledger. */
  owns(pubkey: string): boolean {
    return this.#identities().some((one) => one.pubkey === pubkey);
  }

  /** Returns the network of all nodes. @throws NodeUnavailable when no node was ever reached. */
  network(): NodeInfo['network'] {
    const [first] = this.#identities();
    if (!first) throw new NodeUnavailable('the node was never reached');
    return first.network;
  }

  /** Returns whether a node answers. */
  async isAvailable(nodeId: string): Promise<boolean> {
    return (await this.#find(nodeId)?.isAvailable()) === true;
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

  async close(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.close()));
  }

  #find(nodeId: string): NodeConnection | undefined {
    return this.all.find((one) => one.nodeId === nodeId);
  }

  /** Returns the identities of the nodes that were ever reached. */
  #identities(): NodeIdentity[] {
    return this.all.filter((one) => one.wasReached()).map((one) => one.identity());
  }
}

export interface NodeConnectOptions {
  readonly database: Database;
  /** The adapter of each URL of LIGHTNING_URL. */
  readonly nodes: readonly LightningNode[];
  readonly alerts: Alerts;
  /** Writes the consequences of a restored node in the transaction that deletes its position. */
  readonly onRestore: (tx: Tx, nodeId: string) => Promise<void>;
  /** The ledger (`lnd_…`) that this one replaces on its nodes. */
  readonly replacesLedger?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Connects to the nodes and identifies them. If one cannot be reached, the service starts nevertheless, and rejects requests that need it until
 * it answers.
 * @throws ForeignLedger when a node is none of the ledger's and cannot be added, or belongs to another ledger.
 */
export async function connectNodes(options: NodeConnectOptions): Promise<NodeConnections> {
  const { database, nodes, clock, log } = options;
  await addMissingNodes(database, nodes.length, unixSeconds(clock));
  const known = await ledgerNodes(database);
  const urls = new NodeUrls({ ...options, ledgerId: known[0].id });
  await identifyAll(urls, known, options);
  await logCredentials(nodes, log);
  const all = known.map((node) => connectionTo(node, urls, options));
  // Verifies the positions of the nodes that answer.
  await Promise.all(all.map((one) => one.isAvailable()));
  return new NodeConnections(all, nodes, database);
}

function connectionTo(node: LedgerNode, urls: NodeUrls, options: NodeConnectOptions): NodeConnection {
  return new NodeConnection(node, {
    async identify() {
      const found = await urls.identify(node.id);
      await verifyPosition(options, node.id, (position) => callToIdentify(() => found.adapter.knowsPosition(position)));
      return found;
    },
    onHistoryChanged: () => resetPosition(options, node.id),
  });
}

/** Identifies the nodes for the first time, and logs what keeps them from working. @throws ForeignLedger */
async function identifyAll(urls: NodeUrls, known: readonly LedgerNode[], { replacesLedger, log }: NodeConnectOptions): Promise<void> {
  if (replacesLedger !== undefined)
    log.warn({ replacesLedger }, 'TAKE_OVER_FROM_LEDGER is set: this ledger replaces that one on its nodes');
  const { found, unavailable } = await urls.identifyAll();
  for (const one of unavailable)
    log.error(one, 'a Lightning node cannot be reached: its wallets send and receive nothing until it answers');
  const missing = known.length === 1 ? [] : known.filter(({ id }) => !found.some(({ nodeId }) => nodeId === id));
  for (const { id } of missing)
    log.error({ node: id }, 'no URL of LIGHTNING_URL has led to this node yet: its wallets send and receive nothing');
  for (const { nodeId: node, info } of found) {
    if (info.network === 'bitcoin')
      log.warn({ node }, 'the Lightning node is on the main network: its adapter was verified on regtest only');
    if (info.cannotSend !== undefined)
      log.error({ node, reason: info.cannotSend }, 'the Lightning node cannot send payments yet; requests that send one are rejected');
  }
}

/** Logs each credential that lacks a permission or has more than the service needs. Calls to the node report one that cannot be read. */
async function logCredentials(nodes: readonly LightningNode[], log: Log): Promise<void> {
  for (const [index, node] of nodes.entries()) {
    const { missing = [], excessive = [] } = (await node.checkCredential?.().catch(() => undefined)) ?? {};
    const remedy = 'npm run node-check prints the command that creates one';
    if (missing.length > 0)
      log.error(
        { number: index + 1, missing },
        `the credential of a Lightning node does not permit calls that the service needs; ${remedy}`,
      );
    if (excessive.length > 0)
      log.warn({ number: index + 1, excessive }, `the credential of a Lightning node permits more than the service needs; ${remedy}`);
  }
}
