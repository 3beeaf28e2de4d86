import type { Database } from '../db/database.ts';
import { readFact, writeOnce } from '../db/facts.sql.ts';
import { newId } from '../kernel/ids.ts';
import type { NodeInfo } from '../lightning/node.ts';

/** The ledger is bound to another node or network, whose money its balances are. */
export class ForeignLedger extends Error {
  override readonly name = 'ForeignLedger';
}

/** The node and network to which a ledger is bound. */
export type NodeIdentity = Pick<NodeInfo, 'pubkey' | 'network'>;

/** Returns the id of the ledger's node in the API (`lnd_…`). It is generated once, before the node is first reached. */
export async function ledgerNodeId(database: Database): Promise<string> {
  return await database.transaction(async (tx) => {
    await tx.run(writeOnce, 'node_id', `lnd_${newId()}`);
    const row = await tx.first(readFact, 'node_id');
    if (!row) throw new Error('the id of the node was not stored');
    return row.value;
  });
}

/** Returns the node to which the ledger is bound; undefined while no node was ever reached. */
export async function boundNode(database: Database): Promise<NodeIdentity | undefined> {
  const row = await database.first(readFact, 'node');
  return row && (JSON.parse(row.value) as NodeIdentity);
}

/**
 * Binds a new ledger to a node and network, permanently. Does nothing when it is bound to them already.
 * @throws ForeignLedger when it is bound to another node or network.
 */
export async function bindLedger(database: Database, { network, pubkey }: NodeIdentity): Promise<void> {
  await database.transaction(async (tx) => {
    // When two instances bind a new ledger at the same time, the second waits here and reads what the first wrote.
    await tx.run(writeOnce, 'node', JSON.stringify({ network, pubkey }));
    const row = await tx.first(readFact, 'node');
    const bound = row && (JSON.parse(row.value) as NodeIdentity);
    if (bound?.network === network && bound.pubkey === pubkey) return;
    throw new ForeignLedger(
      `This database holds the ledger of node ${bound?.pubkey} on ${bound?.network}, but LIGHTNING_URL leads to ${pubkey} on ${network}. ` +
        'Set LIGHTNING_URL to the node to which the ledger is bound, or DATABASE_URL to another database.',
    );
  });
}
