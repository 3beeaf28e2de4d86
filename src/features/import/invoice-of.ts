import { type Bolt11, decodeBolt11, InvalidInvoice } from '../../core/lightning/bolt11/bolt11.ts';
import type { SourceHistoryRow } from './source.ts';

/** Returns the invoice of a row; undefined if it has none, or an invalid one, or one of another network, hash or amount. */
export function invoiceOf({ paymentRequest, paymentHash, amountMsat }: SourceHistoryRow, network: string): Bolt11 | undefined {
  if (paymentRequest === undefined || paymentHash === undefined) return undefined;
  try {
    const invoice = decodeBolt11(paymentRequest);
    const isSame = invoice.network === network && invoice.paymentHash === paymentHash;
    return isSame && (invoice.amountMsat ?? Math.abs(amountMsat)) === Math.abs(amountMsat) ? invoice : undefined;
  } catch (error) {
    if (error instanceof InvalidInvoice) return undefined;
    throw error;
  }
}
