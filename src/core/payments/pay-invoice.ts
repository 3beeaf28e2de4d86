import type { KeyLimits } from '../budgets/limits.ts';
import type { NodeConnections } from '../connection/connections.ts';
import type { Database } from '../db/database.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import type { Msat } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { Guard, RowWrite } from '../ledger/ledger.ts';
import { type Bolt11, unknownRequiredBits } from '../lightning/bolt11/bolt11.ts';
import type { Wallet } from '../wallets/wallets.ts';
import { feeLimit, PAYMENT_FEE_RULE } from './fee-limit.ts';
import { findPayable, type Payable, requireRepeat } from './payable.ts';
import { newPayment, type Payment, type WithdrawalType } from './payment.ts';
import type { Saga, StartedPayment } from './saga.ts';

export interface InvoicePayment {
  readonly wallet: Wallet;
  /** The payment request (BOLT11), as text or decoded. */
  readonly invoice: string | Bolt11;
  /** Required for an invoice without an amount. */
  readonly amountMsat?: Msat | undefined;
  /** 0 allows no fee. Absent: {@link PAYMENT_FEE_RULE}. */
  readonly feeLimitMsat?: Msat | undefined;
  /** JSON text. */
  readonly passThru?: string | undefined;
  /** Absent: the description of the invoice. */
  readonly userLabel?: string | undefined;
  readonly wtxType: WithdrawalType;
  /** JSON text: what the payee of an LNURL shows after the payment. */
  readonly successAction?: string | undefined;
  /** Conditions of the hold, such as the validity of the requesting key. */
  readonly guards?: readonly Guard[];
  /** Returns rows to write in the posting that starts the payment. */
  readonly extraRows?: (paymentId: string) => readonly RowWrite[];
  /** The limits of the requesting key. */
  readonly limits?: KeyLimits | undefined;
  /** The withdraw link that is claimed, the rows that take one use of it, and the event of the claim. */
  readonly claim?: { readonly linkId: string; rows(payment: Payment): readonly RowWrite[]; event(payment: Payment): RowWrite };
}

export interface PayInvoiceDependencies {
  readonly database: Database;
  readonly saga: Saga;
  readonly connections: NodeConnections;
  readonly clock: Clock;
}

/**
 * Starts the payment of a BOLT11 invoice: over the network, or internally if a wallet of this service issued it.
 *
 * The checks have this order.
 * 1. The text is one that this service issued, or its signature and network are valid.
 * 2. A repeat of a live payment of this wallet returns that payment, even if the invoice has expired: a 400 for a retry would wrongly say that
 *    nothing was paid.
 * 3. The invoice can be paid.
 * 4. Payments and invoices of other wallets with the same payment hash. They come last, so that an unpayable invoice reveals nothing about them.
 * @throws Refusal, NodeUnavailable when no payment was started.
 */
export async function payInvoice(deps: PayInvoiceDependencies, order: InvoicePayment): Promise<StartedPayment> {
  const { database, saga, connections, clock } = deps;
  const { wallet, claim } = order;
  const lookup = { database, network: () => connections.network() };
  const { payable: invoice, ...found } = await findPayable(lookup, order.invoice, wallet.id);
  const { paymentHash, paymentRequest } = invoice;
  const amountMsat = agreedAmount(invoice, order.amountMsat);
  const wanted = { walletId: wallet.id, paymentRequest, amountMsat, linkId: claim?.linkId };
  const live = found.isLive ? await saga.findLive(paymentHash) : undefined;
  if (live?.walletId === wallet.id) return { payment: requireRepeat(live, wanted), replayed: true };

  requirePayable(invoice, unixSeconds(clock));
  if (amountMsat === undefined) throw new Refusal(invoice.amountMsat === undefined ? 'invoice_amount_missing' : 'invoice_amount_fixed');
  if (live) requireRepeat(live, wanted);
  const local = found.issued && requireOpen(found.issued, invoice, wallet);
  const payment = newPayment(deps, wallet, {
    wtxType: order.wtxType,
    paymentHash,
    paymentRequest,
    destPubkey: invoice.payee,
    amountMsat,
    userLabel: order.userLabel ?? invoice.description ?? '',
    memo: invoice.description ?? '',
    descriptionHash: invoice.descriptionHash,
    expirySeconds: invoice.expirySeconds,
    expiresAt: invoice.expiresAt,
    preimage: undefined,
    isKeysend: false,
    customRecords: undefined,
    passThru: order.passThru,
    invoiceId: local?.id,
    linkId: claim?.linkId,
    successAction: order.successAction,
  });
  // An internal payment has no routing fee, so nothing is reserved and the wallet can be emptied.
  const reserveMsat = local ? (0 as Msat) : (order.feeLimitMsat ?? feeLimit(PAYMENT_FEE_RULE, amountMsat));
  const { guards, limits } = order;
  const rows = [...(claim?.rows(payment) ?? []), ...(order.extraRows?.(payment.id) ?? [])];
  const events = claim ? [claim.event(payment)] : [];
  return saga.startNew({ payment, issued: local, reserveMsat, rows, events, guards, limits }, found.pending);
}

/** Checks expiry, description and features. BOLT 11: a payer must not pay if it does not know a required feature. */
function requirePayable(invoice: Payable, nowSeconds: number): void {
  if (invoice.expiresAt <= nowSeconds) throw new Refusal('invoice_expired');
  // PostgreSQL cannot store NUL in text.
  if (invoice.description?.includes('\u0000'))
    throw new Refusal('invoice_undecodable', 'The description of the invoice is not valid text.');
  const [bit] = unknownRequiredBits(invoice.features);
  if (bit !== undefined) throw new Refusal('invoice_undecodable', `The invoice requires feature ${bit}, which this service does not know.`);
}

/** Returns the amount of invoice and request; undefined if they differ or neither states one. */
function agreedAmount({ amountMsat }: Payable, given: Msat | undefined): Msat | undefined {
  if (given !== undefined && amountMsat !== undefined && given !== amountMsat) return undefined;
  return amountMsat ?? given;
}

/**
 * Checks that an invoice of this service can be paid. The payment request must be the text that was issued: an invoice with the same hash
 * and another amount is a forgery.
 * @throws Refusal `invoice_mismatch`, `own_invoice`, `invoice_canceled`, `invoice_paid`.
 */
function requireOpen(invoice: Invoice, wanted: Payable, payer: Wallet): Invoice {
  if (invoice.paymentRequest !== wanted.paymentRequest) throw new Refusal('invoice_mismatch');
  if (invoice.walletId === payer.id) throw new Refusal('own_invoice');
  if (invoice.state === 'canceled') throw new Refusal('invoice_canceled');
  if (invoice.state !== 'open') throw new Refusal('invoice_paid');
  return invoice;
}
