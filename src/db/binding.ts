import { newId } from '../kernel/ids.ts';
import type { Database } from './database.ts';
import { readFact, writeOnce } from './facts.sql.ts';

/** The ledger was made for another node or network: its balances would be promises that this node cannot keep. */
export class ForeignLedger extends Error {
  override readonly name = 'ForeignLedger';
}

/** What a ledger is bound to. */
export interface NodeIdentity {
  /** 33-byte compressed public key in hex. */
  readonly pubkey: string;
  readonly network: 'bitcoin' | 'testnet' | 'signet' | 'regtest';
}

/** The id that this ledger's node has in the API (`lnd_…`); chosen once, before the node was ever reached. */
export async function ledgerNodeId(database: Database): Promise<string> {
  return await database.transaction(async (tx) => {
    await tx.run(writeOnce, 'node_id', `lnd_${newId()}`);
    const row = await tx.first(readFact, 'node_id');
    if (!row) throw new Error('the id of the node was not kept');
    return row.value;
  });
}

/** The node that the ledger is bound to; undefined while none was ever reached. */
export async function boundNode(database: Database): Promise<NodeIdentity | undefined> {
  const row = await database.first(readFact, 'node');
  return row && (JSON.parse(row.value) as NodeIdentity);
}

/**
 * Binds a new ledger to the network and node it is used with, for ever.
 * @throws ForeignLedger when the ledger was made for another network or node.
 */
export async function bindLedger(database: Database, { network, pubkey }: NodeIdentity): Promise<void> {
  await database.transaction(async (tx) => {
    // Two instances may begin a new ledger at the same moment: the second waits here, and reads what the first wrote.
    await tx.run(writeOnce, 'node', JSON.stringify({ network, pubkey }));
    const row = await tx.first(readFact, 'node');
    const made = row && (JSON.parse(row.value) as NodeIdentity);
    if (made?.network === network && made.pubkey === pubkey) return;
    throw new ForeignLedger(
      `This database holds the ledger of node ${made?.pubkey} on ${made?.network}, but LIGHTNING_URL leads to ${pubkey} on ${network}. ` +
        'Point LIGHTNING_URL to the node the ledger belongs to, or DATABASE_URL to another database.',
    );
  });
}
