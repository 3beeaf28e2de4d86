import { type Bolt11, decodeBolt11, InvalidInvoice } from '../../core/lightning/bolt11/bolt11.ts';
import type { SourceHistoryRow } from './source.ts';

/** Returns the invoice of a row; undefined if it has none, or an invalid one, or one of another network, hash or amount. */
export function invoiceOf(row: SourceHistoryRow, network: string): Bolt11 | undefined {
  const invoice = decodedInvoice(row);
  return invoice?.network === network && isInvoiceFor(row, invoice) ? invoice : undefined;
}

/** Returns the invoice that a row names, whatever it is for; undefined if it has none, or an invalid one. */
export function decodedInvoice({ paymentRequest }: SourceHistoryRow): Bolt11 | undefined {
  if (paymentRequest === undefined) return undefined;
  try {
    return decodeBolt11(paymentRequest);
  } catch (error) {
    if (error instanceof InvalidInvoice) return undefined;
    throw error;
  }
}

/** Returns whether an invoice has the hash and the amount of its row. */
export function isInvoiceFor({ paymentHash, amountMsat }: SourceHistoryRow, invoice: Bolt11): boolean {
  return invoice.paymentHash === paymentHash && (invoice.amountMsat ?? Math.abs(amountMsat)) === Math.abs(amountMsat);
}
