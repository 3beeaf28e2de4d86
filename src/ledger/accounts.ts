/** The ledger's own accounts; the migration creates them in this order. */
export const SYSTEM_ACCOUNTS = {
  /** The Lightning node: an asset, so its balance is minus what the node holds for the customers. */
  node: 1,
  /** What the operator bears, so it may go below zero: routing beyond a payment's reserve, and payments that could not be charged any more. */
  routingFees: 2,
  /** Fees that the service earned. */
  serviceFees: 3,
  /** Money that arrived and belongs to no wallet yet. */
  suspense: 4,
} as const;

/** Whether an account may go below zero: only what is the operator's, never a customer's. */
export function mayGoBelowZero(account: number): boolean {
  return account === SYSTEM_ACCOUNTS.node || account === SYSTEM_ACCOUNTS.routingFees;
}

export function isSystemAccount(account: number): boolean {
  return account <= SYSTEM_ACCOUNTS.suspense;
}
