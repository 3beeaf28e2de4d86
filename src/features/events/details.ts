import type { Invoice } from '../../core/invoices/invoice.ts';
import type { Invoices } from '../../core/invoices/invoices.ts';
import type { EventType } from '../../core/journal/event-types.ts';
import type { Ledger } from '../../core/ledger/ledger.ts';
import type { Payment } from '../../core/payments/payment.ts';
import type { Payments } from '../../core/payments/payments.ts';
import type { FundedWallet, Wallets } from '../../core/wallets/wallets.ts';
import type { History } from '../transactions/history.ts';
import { type LightningTransaction, ofInvoice } from '../transactions/lightning-transaction.ts';
import type { WalletTransaction } from '../transactions/wallet-transaction.ts';
import type { LoggedEvent } from './log.ts';

/**
 * An event with the objects that it concerns, as they were when it happened. Only wallets are shown with their present balance, label and
 * status.
 */
export interface EventDetails {
  readonly event: LoggedEvent;
  /** Undefined for an event of a booking. */
  readonly wallet: FundedWallet | undefined;
  readonly transaction: WalletTransaction | undefined;
  readonly invoice: LightningTransaction | undefined;
}

export interface DetailDependencies {
  readonly history: Pick<History, 'render'>;
  readonly invoices: Pick<Invoices, 'findMany'>;
  readonly payments: Pick<Payments, 'findMany'>;
  readonly wallets: Pick<Wallets, 'find'>;
  readonly ledger: Pick<Ledger, 'balance'>;
}

/** How an event shows its payment. A correction is final, so it shows the payment as it is. */
const SHOWN_PAYMENT: Partial<Record<EventType, 'pending' | 'failed' | 'present'>> = {
  payment_pending: 'pending',
  link_claimed: 'pending',
  wallet_send_failure: 'failed',
  payment_corrected: 'present',
};

/** Adds the objects to events, in the same order. Reads each kind of object with one statement. */
export async function detailsOf(deps: DetailDependencies, events: readonly LoggedEvent[]): Promise<EventDetails[]> {
  const [booked, paid, invoices, wallets] = await Promise.all([
    bookedTransactions(deps, events),
    paymentTransactions(deps, events),
    invoicesAtEvents(deps, events),
    fundedWallets(deps, events),
  ]);
  return events.map((event) => ({
    event,
    wallet: wallets.get(event),
    transaction: booked.get(event) ?? paid.get(event),
    invoice: invoices.get(event),
  }));
}

async function bookedTransactions({ history }: DetailDependencies, events: readonly LoggedEvent[]) {
  const booked = events.flatMap((event) => {
    const { entry, walletId } = event;
    return entry && walletId !== undefined ? [{ event, line: { entry: { place: entry.position, walletId, entry } } }] : [];
  });
  const rendered = await history.render(booked.map(({ line }) => line));
  return new Map(booked.map(({ event }, index) => [event, rendered[index]]));
}

/** Renders payments as each event shows them; one payment may have several events. */
async function paymentTransactions({ history, payments }: DetailDependencies, events: readonly LoggedEvent[]) {
  const withPayment = events.filter(({ type }) => SHOWN_PAYMENT[type] !== undefined);
  const found = await payments.findMany([...new Set(withPayment.map(({ subject }) => subject))]);
  const paymentOf = new Map(found.map((payment) => [payment.id, payment]));
  const transactions = new Map<LoggedEvent, WalletTransaction | undefined>();
  for (const shown of ['pending', 'failed', 'present'] as const) {
    const alike = withPayment.filter(({ type }) => SHOWN_PAYMENT[type] === shown);
    const lines = alike.flatMap((event) => {
      const payment = paymentOf.get(event.subject);
      return payment ? [{ event, line: { payment: shown === 'present' ? payment : paymentAt(event, shown, payment) } }] : [];
    });
    const rendered = await history.render(lines.map(({ line }) => line));
    for (const [index, { event }] of lines.entries()) transactions.set(event, rendered[index]);
  }
  return transactions;
}

/** Returns the payment as it was. The row of a payment that was corrected no longer has the reason of its failure. */
function paymentAt({ data }: LoggedEvent, state: 'pending' | 'failed', payment: Payment): Payment {
  const failureReason = state === 'failed' ? (data?.failureReason as Payment['failureReason']) : undefined;
  return { ...payment, state, failureReason, feeMsat: undefined, settledAt: undefined };
}

async function invoicesAtEvents({ invoices }: DetailDependencies, events: readonly LoggedEvent[]) {
  const withInvoice = events.filter(({ type }) => type.startsWith('invoice_'));
  const found = await invoices.findMany([...new Set(withInvoice.map(({ subject }) => subject))]);
  const invoiceOf = new Map(found.map((invoice) => [invoice.id, invoice]));
  return new Map(
    withInvoice.map((event) => {
      const invoice = invoiceOf.get(event.subject);
      return [event, invoice && invoiceAt(event.type, invoice)];
    }),
  );
}

function invoiceAt(type: EventType, invoice: Invoice): LightningTransaction {
  const { createdAt, expiresAt = createdAt } = invoice;
  const state = type === 'invoice_cancelled' ? 'canceled' : 'open';
  const then = { ...invoice, state, receivedMsat: undefined, settledAt: undefined } as const;
  return ofInvoice(then, type === 'invoice_expired' ? expiresAt : createdAt);
}

/** The wallets of events without a booking; the transaction of a booking shows its wallet. */
async function fundedWallets({ wallets, ledger }: DetailDependencies, events: readonly LoggedEvent[]) {
  const unbooked = events.filter(({ entry }) => !entry);
  const ids = [...new Set(unbooked.flatMap(({ walletId }) => walletId ?? []))];
  const found = await Promise.all(
    ids.map(async (id) => {
      const wallet = await wallets.find(id);
      return [id, wallet && { wallet, balance: await ledger.balance(wallet.ledgerAccount) }] as const;
    }),
  );
  const walletOf = new Map(found);
  return new Map(unbooked.map((event) => [event, walletOf.get(event.walletId ?? '')]));
}
