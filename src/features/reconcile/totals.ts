import type { Tx } from '../../core/db/database.ts';
import { isNodeAccount, SYSTEM_ACCOUNTS, systemAccounts } from '../../core/ledger/ledger.ts';

/** What the ledger owes and holds at one moment. Amounts are msat. */
export interface LedgerTotals {
  /** The balances of all wallets, including the holds of pending payments. */
  readonly customersMsat: number;
  readonly serviceFeesMsat: number;
  /** Money that arrived for no wallet. */
  readonly suspenseMsat: number;
  /** The costs that the operator bears. Zero or negative. */
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
    operatorMsat: balance(SYSTEM_ACCOUNTS.routingFees),
    // A node's account is an asset: its balance is the negative of what the node holds.
    heldByNode: new Map(nodes.map(({ id, balanceMsat }) => [id, 0 - balanceMsat])),
    entriesOfNode: new Map(nodes.map(({ id, entries }) => [id, entries])),
  };
}
