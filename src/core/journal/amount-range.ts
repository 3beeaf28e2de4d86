import type { Database } from '../db/database.ts';
import { floorSat, MAX_MSAT, msat } from '../kernel/money.ts';
import { listsOfAmount, type WalletTransactionRow } from './wallet-transactions.sql.ts';

/** An inclusive range of incoming or outgoing amounts in whole satoshis, as lists show them ({@link shownSat}). */
export interface AmountRange {
  readonly minSat?: number | undefined;
  readonly maxSat?: number | undefined;
}

/** If a range has more transactions than this, the list is scanned in its order: a page fills after few rows. */
const MAX_FOUND = 10_000;

/**
 * Returns the change of a balance in whole satoshis, as lists show it: the difference of rounded balances, so that the transactions sum to the
 * balance. `balanceAfterMsat` is null before the booking.
 */
export function shownSat(amountMsat: number, balanceAfterMsat: number | null): number {
  if (balanceAfterMsat === null) return floorSat(msat(amountMsat));
  return floorSat(msat(balanceAfterMsat)) - floorSat(msat(balanceAfterMsat - amountMsat));
}

/** Returns whether a range contains an incoming or outgoing amount in satoshis. */
export function isInRange({ minSat = 0, maxSat = MAX_MSAT }: AmountRange, sats: number): boolean {
  return Math.abs(sats) >= minSat && Math.abs(sats) <= maxSat;
}

export function isAmountInRange(range: AmountRange, { amount_msat, balance_msat }: WalletTransactionRow): boolean {
  return isInRange(range, shownSat(amount_msat, balance_msat));
}

/**
 * Returns the positions of all transactions of an account, or of a wallet by its ledger account, whose amounts may be in a range, in ascending
 * order; undefined for more than {@link MAX_FOUND} in the account. Rounding changes an amount by less than one satoshi.
 */
export async function positionsInRange(
  database: Database,
  owner: { readonly accountId: string } | { readonly ledgerAccount: number },
  { minSat = 0, maxSat = MAX_MSAT }: AmountRange,
): Promise<number[] | undefined> {
  const low = Math.max(0, (minSat - 1) * 1000);
  const high = Math.min((maxSat + 1) * 1000, MAX_MSAT);
  const [list, id, wallet] =
    'accountId' in owner
      ? ([listsOfAmount.account, owner.accountId, undefined] as const)
      : ([listsOfAmount.wallet, owner.ledgerAccount, owner.ledgerAccount] as const);
  const found = await database.all(list, id, low, high, -high, -low, MAX_FOUND + 1);
  if (found.length > MAX_FOUND) return undefined;
  const own = wallet === undefined ? found : found.filter(({ ledger_account }) => ledger_account === wallet);
  return own.map(({ position }) => position).sort((a, b) => a - b);
}
