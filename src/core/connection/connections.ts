import type { Alerts } from '../alerts/alerts.ts';
import type { Database, Tx } from '../db/database.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { type IncomingGuard, type LightningNode, type NodeInfo, NodeUnavailable } from '../lightning/node.ts';
import { addMissingNodes, ledgerNodes, type NodeIdentity } from './binding.ts';
import { connectionTo, type NodeConnection } from './connection.ts';
import { Endpoints } from './endpoint.ts';
import { createEventPosition } from './position.ts';

/** The connections to the Lightning nodes of the ledger. */
export interface NodeConnections {
  /** In the order in which the nodes were added to the ledger. */
  readonly all: readonly NodeConnection[];
  /** @throws NodeUnavailable for a node that another instance has added since this one was started. */
  of(nodeId: string): NodeConnection;
  /** Returns whether a public key is that of a node of the ledger. */
  owns(pubkey: string): boolean;
  /** Returns the network of all nodes. @throws NodeUnavailable when no node was ever reached. */
  network(): NodeInfo['network'];
  /** Returns whether a node answers. */
  isAvailable(nodeId: string): Promise<boolean>;
  /** Returns the ids of the nodes that get no new wallets. */
  draining(): Promise<ReadonlySet<string>>;
  /** Sets the function that decides on incoming payments of all nodes. */
  guardIncoming(guard: IncomingGuard): void;
  close(): Promise<void>;
}

export interface ConnectionsDependencies {
  readonly database: Database;
  /** The node of each URL of LIGHTNING_URL. */
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
export async function connectNodes(deps: ConnectionsDependencies): Promise<NodeConnections> {
  const { database, nodes, alerts, onRestore, clock, log } = deps;
  await addMissingNodes(database, nodes.length, unixSeconds(clock));
  const known = await ledgerNodes(database);
  const endpoints = new Endpoints({ ...deps, ledgerId: known[0].id }, nodes);
  const all = known.map((one) =>
    connectionTo(one, { endpoints, position: createEventPosition({ database, nodeId: one.id, alerts, onRestore }) }),
  );
  if (deps.replacesLedger !== undefined)
    log.warn({ replacesLedger: deps.replacesLedger }, 'TAKE_OVER_FROM_LEDGER is set: this ledger replaces that one on its nodes');
  for (const unavailable of await endpoints.identifyAll())
    log.error(unavailable, 'a Lightning node cannot be reached: its wallets send and receive nothing until it answers');
  for (const { nodeId } of all.filter((one) => !endpoints.of(one.nodeId)))
    log.error({ node: nodeId }, 'no URL of LIGHTNING_URL has led to this node yet: its wallets send and receive nothing');
  for (const { info, matched } of endpoints.all) {
    if (info?.network === 'bitcoin')
      log.warn({ node: matched?.id }, 'the Lightning node is on the main network: its adapter was verified on regtest only');
    if (!info?.cannotSend) continue;
    log.error(
      { node: matched?.id, reason: info.cannotSend },
      'the Lightning node cannot send payments yet; requests that send one are rejected',
    );
  }
  await logCredentials(nodes, log);
  // Verifies the positions of the nodes that answer.
  await Promise.all(all.map((one) => one.isAvailable()));
  const byId = new Map(all.map((one) => [one.nodeId, one]));
  return {
    all,
    of(nodeId) {
      const found = byId.get(nodeId);
      if (!found) throw new NodeUnavailable('the node was added by another instance; this one must be restarted');
      return found;
    },
    owns: (pubkey) => identitiesOf(all).some((one) => one.pubkey === pubkey),
    network() {
      const [first] = identitiesOf(all);
      if (!first) throw new NodeUnavailable('the node was never reached');
      return first.network;
    },
    isAvailable: async (nodeId) => (await byId.get(nodeId)?.isAvailable()) === true,
    async draining() {
      // Another process changes the state.
      const listed = await ledgerNodes(database);
      return new Set(listed.filter(({ state }) => state === 'draining').map(({ id }) => id));
    },
    guardIncoming(guard) {
      for (const node of nodes) node.guardIncoming(guard);
    },
    async close() {
      await Promise.all(nodes.map((node) => node.close()));
    },
  };
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

/** Returns the identities of the nodes that were ever reached. */
function identitiesOf(all: readonly NodeConnection[]): NodeIdentity[] {
  return all.filter((one) => one.wasReached()).map((one) => one.identity());
}
