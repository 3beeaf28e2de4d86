import type { Database, Tx } from '../../core/db/database.ts';
import { allAccounts, isNodeAccount, SYSTEM_ACCOUNTS, systemAccounts } from '../../core/ledger/ledger.ts';
import * as sql from './reconcile.sql.ts';
import type { NodePosition } from './reconciliation-object.ts';

/** What the ledger owes and holds at one moment. Amounts are msat. */
export interface LedgerTotals {
  /** The balances of all wallets, including the holds of pending payments. */
  readonly customersMsat: number;
  readonly serviceFeesMsat: number;
  /** Money that arrived for no wallet. */
  readonly suspenseMsat: number;
  /** The costs that the operator bears, also those of a restore. Zero or negative. */
  readonly operatorMsat: number;
  /** The money that each node holds for the ledger, by the ledger account of the node. */
  readonly heldByNode: ReadonlyMap<number, number>;
  /** The number of entries of each node's ledger account. */
  readonly entriesOfNode: ReadonlyMap<number, number>;
}

/** Reads the totals in a snapshot. The cost does not depend on the number of wallets. */
export async function readTotals(tx: Tx): Promise<LedgerTotals> {
  const accounts = await systemAccounts(tx);
  const balance = (wanted: number): number => accounts.find(({ id }) => id === wanted)?.balanceMsat ?? 0;
  const nodes = accounts.filter(({ id }) => isNodeAccount(id));
  return {
    // The balances of all accounts sum to zero, so the wallets have the negative sum of the system accounts. `0 -` avoids −0.
    customersMsat: 0 - accounts.reduce((sum, { balanceMsat }) => sum + balanceMsat, 0),
    serviceFeesMsat: balance(SYSTEM_ACCOUNTS.serviceFees),
    suspenseMsat: balance(SYSTEM_ACCOUNTS.suspense),
    operatorMsat: balance(SYSTEM_ACCOUNTS.routingFees) + balance(SYSTEM_ACCOUNTS.restoreDifference),
    // A node's account is an asset: its balance is the negative of what the node holds.
    heldByNode: new Map(nodes.map(({ id, balanceMsat }) => [id, 0 - balanceMsat])),
    entriesOfNode: new Map(nodes.map(({ id, entries }) => [id, entries])),
  };
}

/** A node and its ledger account. */
type NodeAccount = { readonly nodeId: string; readonly ledgerAccount: number };

/**
 * Computes how much each node holds for wallets of other nodes, at one moment. One node holds everything. The operator's money and suspense
 * count as the first node's.
 */
export async function readPositions(database: Database, nodes: readonly NodeAccount[]): Promise<ReadonlyMap<string, NodePosition>> {
  return database.snapshot(async (tx) => {
    const { heldByNode } = await readTotals(tx);
    const owed = nodes.length > 1 ? await owedByNode(tx, nodes) : undefined;
    const positions = nodes.map(({ nodeId, ledgerAccount }) => {
      const held_msat = heldByNode.get(ledgerAccount) ?? 0;
      return [nodeId, { held_msat, position_msat: owed ? held_msat - (owed.get(nodeId) ?? 0) : 0 }] as const;
    });
    return new Map(positions);
  });
}

/**
 * Returns the sum of the wallets of each node; the other accounts count as the first node's. Reads all wallets, because a node's wallets have
 * no common balance in the ledger.
 */
async function owedByNode(tx: Tx, nodes: readonly NodeAccount[]): Promise<ReadonlyMap<string, number>> {
  const owed = new Map<string, number>();
  const accounts = new Set(nodes.map(({ ledgerAccount }) => ledgerAccount));
  for await (const page of allAccounts(tx)) {
    const ids = page.map(({ id }) => id);
    const owners = new Map((await tx.all(sql.nodesOfAccounts, ids)).map(({ account, node_id }) => [account, node_id]));
    for (const { id, balanceMsat } of page) {
      if (accounts.has(id)) continue;
      const owner = owners.get(id) ?? nodes[0]?.nodeId ?? '';
      owed.set(owner, (owed.get(owner) ?? 0) + balanceMsat);
    }
  }
  return owed;
}
