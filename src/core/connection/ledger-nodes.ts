import type { Alerts } from '../alerts/alerts.ts';
import type { Database, SqlReader, Tx } from '../db/database.ts';
import { writeRows } from '../db/row-write.ts';
import { invariant } from '../kernel/assert.ts';
import { newId } from '../kernel/ids.ts';
import type { NodeInfo, Position, Settlement } from '../lightning/node.ts';
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
 * Binds the identity to a node of the ledger, permanently, unless it is bound already. The settlements up to `newest` are not for this ledger.
 * @throws ForeignLedger like {@link matchingNode}
 */
export async function bindNode(database: Database, identity: NodeIdentity, urls: number, newest?: Settlement): Promise<LedgerNode> {
  const { pubkey, network } = identity;
  return database.transaction(async (tx) => {
    await tx.all(sql.lockNodes);
    const node = await matchingNode(tx, identity, urls);
    if (!node.identity) await tx.run(sql.bindNode, node.id, pubkey, network, newest?.position ?? null, newest?.settledAt ?? null);
    return { ...node, identity };
  });
}

/** What a restored node affects. */
export interface RestoreContext {
  readonly database: Database;
  readonly alerts: Alerts;
  /** Writes the consequences of a restored node in the transaction that moves its position back. */
  readonly onRestore: (tx: Tx, nodeId: string) => Promise<void>;
}

/** Where to read a node's events from. */
export interface ReadStart {
  /** Each event up to it is booked; undefined: none are. */
  readonly position: Position | undefined;
  /** Settlements up to this time are from before the ledger. Unix seconds. */
  readonly skippedUntil: number;
}

export async function readStart(database: SqlReader, nodeId: string): Promise<ReadStart> {
  const row = await database.first(sql.readPosition, nodeId);
  return { position: row?.event_position ?? undefined, skippedUntil: row?.skipped_until ?? 0 };
}

/**
 * Moves the position back if the node does not have the event at it, because it was restored from an older backup. Called on every new
 * connection, before any other call.
 */
export async function verifyPosition(
  context: RestoreContext,
  nodeId: string,
  knowsPosition: (position: Position) => Promise<boolean>,
): Promise<void> {
  const { position } = await readStart(context.database, nodeId);
  if (position === undefined || (await knowsPosition(position))) return;
  await rewindPosition(context, nodeId, position);
  // The node may have been restored to before the start of the ledger.
  await verifyPosition(context, nodeId, knowsPosition);
}

/**
 * Moves the position of a restored node back to the start of the ledger, and raises an alert. Booking an event is idempotent, so all events
 * since then can be read again. Does nothing if `position` is not stored any more: another instance was first.
 */
export async function rewindPosition(
  { database, alerts, onRestore }: RestoreContext,
  nodeId: string,
  position: Position | undefined,
): Promise<void> {
  const message = 'the node does not have the event up to which its events were read; those since the start of the ledger are read again';
  await database.transaction(async (tx) => {
    if ((await tx.run(sql.rewindPosition, nodeId, position ?? null)) === 0) return;
    await writeRows(tx, alerts.rowsOf({ kind: 'node_restored', subject: nodeId, message, details: { ln_node_id: nodeId } }));
    await onRestore(tx, nodeId);
  });
  await alerts.announce();
}
