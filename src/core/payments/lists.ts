import type { SqlReader } from '../db/database.ts';
import { type Payment, rowToPayment } from './payment.ts';
import * as sql from './payments.sql.ts';

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

/** Returns the fields of payments that a search compares. */
export function searchTextsOfPayments(database: SqlReader, ids: readonly string[]): Promise<sql.PaymentTextRow[]> {
  return ids.length === 0 ? Promise.resolve([]) : database.all(sql.searchTexts, ids);
}
