import type { Database, Tx } from '../db/database.ts';
import { allAccounts, isSystemAccount } from '../ledger/ledger.ts';
import * as sql from './reconcile.sql.ts';
import type { NodePosition } from './report.ts';

/** A node and its ledger account. */
type NodeAccount = { readonly nodeId: string; readonly ledgerAccount: number };

/**
 * Computes how much each node holds for wallets of other nodes, at one moment. Reads all wallets, because a node's wallets have no common
 * balance in the ledger. One node holds everything.
 */
export async function readPositions(database: Database, nodes: readonly NodeAccount[]): Promise<NodePosition[]> {
  const [first] = nodes;
  return database.snapshot(async (tx) => {
    const held = new Map(nodes.map(({ nodeId }) => [nodeId, 0]));
    const owed = new Map(held);
    const accounts = new Map(nodes.map(({ nodeId, ledgerAccount }) => [ledgerAccount, nodeId]));
    for await (const page of allAccounts(tx)) {
      const nodeOf = nodes.length > 1 ? await nodesOfWallets(tx, page) : undefined;
      for (const { id, balanceMsat } of page) {
        const node = accounts.get(id);
        if (node !== undefined) held.set(node, (held.get(node) ?? 0) - balanceMsat);
        else {
          const owner = nodeOf?.get(id) ?? first?.nodeId ?? '';
          owed.set(owner, (owed.get(owner) ?? 0) + balanceMsat);
        }
      }
      if (nodes.length === 1 && page.some(({ id }) => !isSystemAccount(id))) break;
    }
    return nodes.map(({ nodeId }) => {
      const heldMsat = held.get(nodeId) ?? 0;
      return { nodeId, heldMsat, positionMsat: nodes.length > 1 ? heldMsat - (owed.get(nodeId) ?? 0) : 0 };
    });
  });
}

async function nodesOfWallets(tx: Tx, page: readonly { readonly id: number }[]): Promise<ReadonlyMap<number, string>> {
  const rows = await tx.all(
    sql.nodesOfAccounts,
    page.map(({ id }) => id),
  );
  return new Map(rows.map(({ account, node_id }) => [account, node_id]));
}
