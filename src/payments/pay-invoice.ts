import type { Limits } from '../budgets/limits.ts';
import type { NodeConnection } from '../connection/connection.ts';
import type { Database } from '../db/database.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import type { Msat } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { Guard, RowWrite } from '../ledger/posting.ts';
import { type Bolt11, unknownRequiredBits } from '../lightning/bolt11/bolt11.ts';
import type { Wallet } from '../wallets/wallets.ts';
import { feeLimit, PAYMENT_FEE_RULE } from './fee-limit.ts';
import { newPayment } from './new-payment.ts';
import { findPayable, type Payable } from './payable.ts';
import type { WithdrawalType } from './payment.ts';
import { requireRepeat } from './repeated-payment.ts';
import type { Saga, StartedPayment } from './saga.ts';

export interface InvoicePayment {
  readonly wallet: Wallet;
  /** The payment request, or the invoice that was decoded from it. */
  readonly invoice: string | Bolt11;
  /** For an invoice that leaves its amount open. */
  readonly amountMsat?: Msat | undefined;
  /** 0 means zero; absent: {@link PAYMENT_FEE_RULE}. */
  readonly feeLimitMsat?: Msat | undefined;
  /** JSON text. */
  readonly passThru?: string | undefined;
  /** Absent: the description of the invoice. */
  readonly userLabel?: string | undefined;
  readonly wtxType: WithdrawalType;
  /** The keys that ask for it. */
  readonly guards?: readonly Guard[];
  /** What else is written when it begins, given its id. */
  readonly extraRows?: (paymentId: string) => readonly RowWrite[];
  /** What may leave by the key that asks for it. */
  readonly limits?: Limits | undefined;
  /** The withdraw link it is claimed with, and the row that claims it. */
  readonly claim?: { readonly linkId: string; readonly row: RowWrite };
}

export interface PayInvoiceDependencies {
  readonly database: Database;
  readonly saga: Saga;
  readonly connection: NodeConnection;
  readonly clock: Clock;
}

/**
 * Begins to pay a BOLT11 invoice from a wallet: over the network, or inside when it is a local wallet's.
 *
 * Checks come in this order. The invoice is the very text that this service issued, or it has been decoded: signature and network are
 * right. A repeat of a payment that this wallet has pending or settled returns that payment, also after the invoice has expired: a client
 * that retries must not read in a 400 that nothing was paid. Then the invoice itself. Only then what other wallets have to do with its
 * payment hash, so that an invoice that could not be paid reveals nothing of them.
 * @throws Refusal when nothing was begun.
 */
export async function payInvoice(deps: PayInvoiceDependencies, order: InvoicePayment): Promise<StartedPayment> {
  const { database, saga, connection, clock } = deps;
  const { wallet, claim } = order;
  const lookup = { database, network: () => connection.identity().network };
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
  });
  // Inside there is no routing, so nothing is reserved for it and a wallet can be emptied.
  const reserveMsat = local ? (0 as Msat) : (order.feeLimitMsat ?? feeLimit(PAYMENT_FEE_RULE, amountMsat));
  const { guards, limits } = order;
  const rows = [...(claim ? [claim.row] : []), ...(order.extraRows?.(payment.id) ?? [])];
  return saga.beginNew({ payment, issued: local, reserveMsat, rows, guards, limits }, found.pending);
}

/** BOLT11: a payer that does not know a required feature must not pay. */
function requirePayable(invoice: Payable, nowSeconds: number): void {
  if (invoice.expiresAt <= nowSeconds) throw new Refusal('invoice_expired');
  // PostgreSQL has no NUL in a text.
  if (invoice.description?.includes('\u0000'))
    throw new Refusal('invoice_undecodable', 'The description of the invoice is not valid text.');
  const [bit] = unknownRequiredBits(invoice.features);
  if (bit !== undefined) throw new Refusal('invoice_undecodable', `The invoice requires feature ${bit}, which this service does not know.`);
}

/** Returns the amount that invoice and request agree on; undefined when they do not, or when neither states one. */
function agreedAmount({ amountMsat }: Payable, given: Msat | undefined): Msat | undefined {
  if (given !== undefined && amountMsat !== undefined && given !== amountMsat) return undefined;
  return amountMsat ?? given;
}

/**
 * Checks that the invoice of this service with the payment hash can be paid. The payment request must be the very text that was
 * issued: an invoice that keeps a local hash but changes the amount is a forgery.
 * @throws Refusal `invoice_mismatch`, `own_invoice`, `invoice_canceled`, `invoice_paid`.
 */
function requireOpen(invoice: Invoice, wanted: Payable, payer: Wallet): Invoice {
  if (invoice.paymentRequest !== wanted.paymentRequest) throw new Refusal('invoice_mismatch');
  if (invoice.walletId === payer.id) throw new Refusal('own_invoice');
  if (invoice.state === 'canceled') throw new Refusal('invoice_canceled');
  if (invoice.state !== 'open') throw new Refusal('invoice_paid');
  return invoice;
}
