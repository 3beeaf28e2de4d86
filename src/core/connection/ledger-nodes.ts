import type { Alerts } from '../alerts/alerts.ts';
import type { Database, SqlReader, Tx } from '../db/database.ts';
import { writeRows } from '../db/row-write.ts';
import { invariant } from '../kernel/assert.ts';
import { newId } from '../kernel/ids.ts';
import type { NodeInfo, Position } from '../lightning/node.ts';
import * as sql from './nodes.sql.ts';

/** The node is not one of the ledger, or is on another network: the ledger's balances are money at other nodes. */
export class ForeignLedger extends Error {
  override readonly name = 'ForeignLedger';
}

/** The public key and network of a node. */
export type NodeIdentity = Pick<NodeInfo, 'pubkey' | 'network'>;

/** A node of the ledger. */
export type LedgerNode = ReturnType<typeof toNode>;

/** Returns the nodes of the ledger in the order in which they were added. The id of the first one is also the id of the ledger. */
export async function ledgerNodes(database: SqlReader): Promise<[LedgerNode, ...LedgerNode[]]> {
  const [first, ...others] = (await database.all(sql.listNodes)).map(toNode);
  invariant(first, 'the schema creates the first node');
  return [first, ...others];
}

/** Without an identity until the node was first reached. */
function toNode({ pubkey, network, ...node }: sql.LedgerNodeRow) {
  return { ...node, identity: pubkey === null || network === null ? undefined : { pubkey, network } };
}

/** Adds nodes until the ledger has one for each URL of LIGHTNING_URL. They have no identity until they are first reached. */
export async function addMissingNodes(database: Database, urls: number, nowSeconds: number): Promise<void> {
  if ((await ledgerNodes(database)).length >= urls) return;
  await database.transaction(async (tx) => {
    await tx.all(sql.lockNodes);
    for (let { length } = await ledgerNodes(tx); length < urls; length++) {
      const account = await tx.first(sql.openNodeAccount);
      invariant(account, 'the insert returns the account');
      await tx.run(sql.insertNode, `lnd_${newId()}`, account.id, nowSeconds);
    }
  });
}

/**
 * Returns the node of the ledger with this identity, or the one to which it can be bound. A node is bound only while the ledger has fewer
 * bound nodes than LIGHTNING_URL has URLs: a URL that by mistake leads to another node is then an error, not a new node.
 * @throws ForeignLedger
 */
export async function matchingNode(database: SqlReader, { pubkey, network }: NodeIdentity, urls: number): Promise<LedgerNode> {
  const nodes = await ledgerNodes(database);
  const bound = nodes.flatMap(({ identity }) => identity ?? []);
  const known = nodes.find(({ identity }) => identity?.pubkey === pubkey);
  const match = known ?? (bound.length < urls ? nodes.find(({ identity }) => !identity) : undefined);
  if (match && bound.every((one) => one.network === network)) return match;
  const keys = bound.map((one) => one.pubkey).join(', ');
  throw new ForeignLedger(
    `This database holds the ledger of node ${keys} on ${bound[0]?.network}, but LIGHTNING_URL leads to ${pubkey} on ${network}. ` +
      'Set LIGHTNING_URL to the node to which the ledger is bound, or DATABASE_URL to another database.',
  );
}

/**
 * Binds the identity to a node of the ledger, permanently, unless it is bound already. The events after `beginAfter` are read, or all.
 * @throws ForeignLedger like {@link matchingNode}
 */
export async function bindNode(database: Database, identity: NodeIdentity, urls: number, beginAfter?: Position): Promise<LedgerNode> {
  const { pubkey, network } = identity;
  return database.transaction(async (tx) => {
    await tx.all(sql.lockNodes);
    const node = await matchingNode(tx, identity, urls);
    if (!node.identity) await tx.run(sql.bindNode, node.id, pubkey, network, beginAfter ?? null);
    return { ...node, identity };
  });
}

/** What a restored node affects. */
export interface RestoreContext {
  readonly database: Database;
  readonly alerts: Alerts;
  /** Writes the consequences of a restored node in the transaction that deletes its position. */
  readonly onRestore: (tx: Tx, nodeId: string) => Promise<void>;
}

/** Returns the position up to which the events of a node are booked; undefined: none are. */
export async function readPosition(database: SqlReader, nodeId: string): Promise<Position | undefined> {
  return (await database.first(sql.readPosition, nodeId))?.event_position ?? undefined;
}

/**
 * Resets the position if the node does not have the event at it, because it was restored from an older backup. Called on every new connection,
 * before any other call.
 */
export async function verifyPosition(
  context: RestoreContext,
  nodeId: string,
  knowsPosition: (position: Position) => Promise<boolean>,
): Promise<void> {
  const stored = await readPosition(context.database, nodeId);
  if (stored === undefined || (await knowsPosition(stored))) return;
  // Another instance may have reset it meanwhile.
  if ((await readPosition(context.database, nodeId)) === stored) await resetPosition(context, nodeId);
}

/** Deletes the position and raises an alert. Booking an event is idempotent, so all events can be read again. */
export async function resetPosition({ database, alerts, onRestore }: RestoreContext, nodeId: string): Promise<void> {
  const message = 'the node does not have the event up to which its events were read; all of them are read again';
  await database.transaction(async (tx) => {
    await writeRows(tx, alerts.rowsOf({ kind: 'node_restored', subject: nodeId, message }));
    await tx.run(sql.storePosition, nodeId, null);
    await onRestore(tx, nodeId);
  });
  await alerts.announce();
}
