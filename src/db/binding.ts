import { newId } from '../kernel/ids.ts';
import type { Database } from './database.ts';
import { readFact, writeOnce } from './facts.sql.ts';

/** The ledger was made for another node or network: its balances would be promises that this node cannot keep. */
export class ForeignLedger extends Error {
  override readonly name = 'ForeignLedger';
}

/**
 * Binds a new ledger to the network and node it is used with, for ever.
 * @returns the node's id in the API (`lnd_…`).
 * @throws ForeignLedger when the ledger was made for another network or node.
 */
export function bindLedger(database: Database, node: { readonly network: string; readonly pubkey: string }): Promise<string> {
  return database.transaction(async (tx) => {
    // Two instances may begin a new ledger at the same moment: the second waits here, and reads what the first wrote.
    await tx.run(writeOnce, 'node', JSON.stringify({ ...node, nodeId: `lnd_${newId()}` }));
    const bound = await tx.first(readFact, 'node');
    if (!bound) throw new Error('the binding of the ledger was not kept');
    const made = JSON.parse(bound.value) as { network: string; pubkey: string; nodeId: string };
    if (made.network === node.network && made.pubkey === node.pubkey) return made.nodeId;
    throw new ForeignLedger(
      `This database holds the ledger of node ${made.pubkey} on ${made.network}, but LIGHTNING_URL leads to ${node.pubkey} on ${node.network}. ` +
        'Point LIGHTNING_URL to the node the ledger belongs to, or DATABASE_URL to another database.',
    );
  });
}
