/** The system's ledger accounts. The schema creates them in this order. */
export const SYSTEM_ACCOUNTS = {
  /** The first Lightning node. */
  node: 1,
  /** Costs of the operator, so it may go below zero: routing beyond a payment's reserve, and payments that could no longer be charged. */
  routingFees: 2,
  /** Fees that the service earned. */
  serviceFees: 3,
  /** Money that arrived and belongs to no wallet yet. */
  suspense: 4,
  /** Minus what wallets had spent and lacked after a restore, because the transfers that had credited them were lost. */
  restoreDifference: 5,
} as const;

/** Whether an account may go below zero. Accounts of customers may not. */
export function mayGoBelowZero(account: number): boolean {
  return isNodeAccount(account) || account === SYSTEM_ACCOUNTS.routingFees || account === SYSTEM_ACCOUNTS.restoreDifference;
}

/**
 * Whether an account is that of a Lightning node: an asset, so its balance is minus what the node holds for the customers. The first node has
 * account 1. The others have -1, -2, … because the numbers from 6 on are wallets.
 */
export function isNodeAccount(account: number): boolean {
  return account <= SYSTEM_ACCOUNTS.node;
}

export function isSystemAccount(account: number): boolean {
  return account <= SYSTEM_ACCOUNTS.restoreDifference;
}
