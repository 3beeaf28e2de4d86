import type { Database, Tx } from '../../core/db/database.ts';
import { allAccounts, systemAccounts } from '../../core/ledger/ledger.ts';
import * as sql from './reconcile.sql.ts';
import type { NodePosition } from './report.ts';

/** A node and its ledger account. */
type NodeAccount = { readonly nodeId: string; readonly ledgerAccount: number };

/** Computes how much each node holds for wallets of other nodes, at one moment. One node holds everything. */
export async function readPositions(database: Database, nodes: readonly NodeAccount[]): Promise<NodePosition[]> {
  return database.snapshot(async (tx) => {
    const balances = new Map((await systemAccounts(tx)).map(({ id, balanceMsat }) => [id, balanceMsat]));
    const owed = nodes.length > 1 ? await owedByNode(tx, nodes) : undefined;
    return nodes.map(({ nodeId, ledgerAccount }) => {
      // `0 -` avoids −0.
      const heldMsat = 0 - (balances.get(ledgerAccount) ?? 0);
      return { nodeId, heldMsat, positionMsat: owed ? heldMsat - (owed.get(nodeId) ?? 0) : 0 };
    });
  });
}

/**
 * Returns the sum of the wallets of each node; the other accounts count as the first node's. Reads all wallets, because a node's wallets have
 * no common balance in the ledger.
 */
async function owedByNode(tx: Tx, nodes: readonly NodeAccount[]): Promise<ReadonlyMap<string, number>> {
  const owed = new Map<string, number>();
  const ofNodes = new Set(nodes.map(({ ledgerAccount }) => ledgerAccount));
  for await (const page of allAccounts(tx)) {
    const nodeOf = await nodesOfWallets(tx, page);
    for (const { id, balanceMsat } of page) {
      if (ofNodes.has(id)) continue;
      const owner = nodeOf.get(id) ?? nodes[0]?.nodeId ?? '';
      owed.set(owner, (owed.get(owner) ?? 0) + balanceMsat);
    }
  }
  return owed;
}

async function nodesOfWallets(tx: Tx, page: readonly { readonly id: number }[]): Promise<ReadonlyMap<number, string>> {
  const rows = await tx.all(
    sql.nodesOfAccounts,
    page.map(({ id }) => id),
  );
  return new Map(rows.map(({ account, node_id }) => [account, node_id]));
}
