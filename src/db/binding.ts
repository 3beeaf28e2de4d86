import { newId } from '../kernel/ids.ts';
import type { Database } from './database.ts';
import { readFact, writeFact } from './facts.sql.ts';

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
    const bound = await tx.first(readFact, 'node');
    if (!bound) {
      const nodeId = `lnd_${newId()}`;
      await tx.run(writeFact, 'node', JSON.stringify({ ...node, nodeId }));
      return nodeId;
    }
    const made = JSON.parse(bound.value) as { network: string; pubkey: string; nodeId: string };
    if (made.network === node.network && made.pubkey === node.pubkey) return made.nodeId;
    throw new ForeignLedger(
      `This database holds the ledger of node ${made.pubkey} on ${made.network}, but LIGHTNING_URL leads to ${node.pubkey} on ${node.network}. ` +
        'Point LIGHTNING_URL to the node the ledger belongs to, or DATABASE_URL to another database.',
    );
  });
}
