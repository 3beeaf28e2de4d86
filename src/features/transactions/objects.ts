import type { Invoice } from '../../core/invoices/invoice.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import type { Payment } from '../../core/payments/payment.ts';
import { type NoKeysend, renderInvoice, renderPayment } from './lightning-transaction-object.ts';
import type { WalletTransaction } from './wallet-transaction.ts';
import { renderWalletTransaction } from './wallet-transaction-object.ts';

export type Objects = ReturnType<typeof createObjects>;

/** Renders transactions as objects of the API, as they are now. */
export function createObjects({ clock, legacyNullKeysend = false }: { clock: Clock; legacyNullKeysend?: boolean }) {
  const noKeysend: NoKeysend = legacyNullKeysend ? null : 0;
  return {
    walletTransaction: (wtx: WalletTransaction) => renderWalletTransaction(wtx, unixSeconds(clock), noKeysend),
    payment: (payment: Payment) => renderPayment(payment, noKeysend),
    invoice: (invoice: Invoice, atSeconds = unixSeconds(clock)) => renderInvoice(invoice, atSeconds, noKeysend),
  };
}
