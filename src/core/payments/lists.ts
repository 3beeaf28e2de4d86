import type { SqlReader } from '../db/database.ts';
import { type Payment, rowToPayment } from './payment.ts';
import * as sql from './payments.sql.ts';

/** A payment and the account of its wallet. */
export interface OwnedPayment {
  readonly payment: Payment;
  readonly accountId: string;
}

/** Which payments a list contains: those of one state that is not settled, or all. */
export type ListedPaymentState = 'any' | 'pending' | 'failed';

/** Returns payments of a wallet that were created before the id `before`, newest first. */
export async function listPaymentsOfWallet(
  database: SqlReader,
  state: ListedPaymentState,
  walletId: string,
  before: string,
  limit: number,
): Promise<Payment[]> {
  return (await database.all(sql.listOfWallet[state], walletId, before, limit)).map(rowToPayment);
}

/** Returns payments of all wallets that were created before the id `before`, newest first. */
export async function listPaymentsOfAll(
  database: SqlReader,
  state: ListedPaymentState,
  before: string,
  limit: number,
): Promise<OwnedPayment[]> {
  return (await database.all(sql.listOfAll[state], before, limit)).map(toOwned);
}

/** Returns the payments of a payment hash in a wallet, or in any wallet of an account, newest first. */
export async function listPaymentsByHash(
  database: SqlReader,
  paymentHash: string,
  owner: { readonly walletId: string } | { readonly accountId: string },
  limit: number,
): Promise<Payment[]> {
  const rows =
    'walletId' in owner
      ? await database.all(sql.listByHashInWallet, paymentHash, owner.walletId, limit)
      : await database.all(sql.listByHashInAccount, paymentHash, owner.accountId, limit);
  return rows.map(rowToPayment);
}

/** Returns the payment whose amount a ledger transfer moves. */
export async function findPaymentByTransfer(database: SqlReader, transferId: string): Promise<OwnedPayment | undefined> {
  const row = await database.first(sql.findByTransfer, transferId);
  return row && toOwned(row);
}

/** Returns the fields of payments that a search compares. */
export function searchTextsOfPayments(database: SqlReader, ids: readonly string[]): Promise<sql.PaymentTextRow[]> {
  return ids.length === 0 ? Promise.resolve([]) : database.all(sql.searchTexts, ids);
}

function toOwned(row: sql.OwnedPaymentRow): OwnedPayment {
  return { payment: rowToPayment(row), accountId: row.account_id };
}
