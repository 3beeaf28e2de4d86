import { type Invoice, rowToInvoice } from '../invoices/invoice.ts';
import { requireMayReceive } from '../invoices/receiving.ts';
import { invariant } from '../kernel/assert.ts';
import { unixSeconds } from '../kernel/clock.ts';
import { type FiatAmount, isSamePrice } from '../kernel/fiat.ts';
import { type Msat, msat, ZERO_MSAT } from '../kernel/money.ts';
import { type PaymentText, readPaymentText } from '../kernel/payment-text.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { RowWrite } from '../ledger/ledger.ts';
import {
  type Bolt11,
  canonicalText,
  decodeBolt11,
  InvalidInvoice,
  unknownRequiredBits,
  unverifiedPaymentHash,
} from '../lightning/bolt11/bolt11.ts';
import type { NodeInfo } from '../lightning/node.ts';
import type { Wallet } from '../wallets/wallets.ts';
import { feeLimit, PAYMENT_FEE_RULE } from './fee-limit.ts';
import { type RequestTerms, requireReplay, type StartedPayment, startPayment, toReplay } from './hold.ts';
import { payAtOnce } from './pay-at-once.ts';
import { feeDirectionOf, newPayment, type Payment, readPayment, type WithdrawalType } from './payment.ts';
import * as sql from './payments.sql.ts';
import type { PaymentContext } from './payments.ts';

export interface InvoicePayment extends RequestTerms {
  readonly wallet: Wallet;
  /** The payment request (BOLT11), as text or decoded. The text may be a URI that contains it. */
  readonly invoice: string | RequestedInvoice;
  /** Required for an invoice without an amount, unless its URI states one. */
  readonly amountMsat?: Msat | undefined;
  /** The amount in a currency from which `amountMsat` was computed. */
  readonly fiat?: FiatAmount | undefined;
  /** 0 allows no fee. Absent: {@link PAYMENT_FEE_RULE}. */
  readonly feeLimitMsat?: Msat | undefined;
  /** The service charges no fee, because an operator requested the payment. */
  readonly isFree?: boolean | undefined;
  /** JSON text. */
  readonly passThru?: string | undefined;
  /** Absent: the description of the invoice. */
  readonly userLabel?: string | undefined;
  readonly wtxType: WithdrawalType;
  /** JSON text: what the payee of an LNURL shows after the payment. */
  readonly successAction?: string | undefined;
  /** The withdraw link that is claimed, the rows that take one use of it, and the event of the claim. */
  readonly claim?: { readonly linkId: string; rows(payment: Payment): readonly RowWrite[]; event(payment: Payment): RowWrite };
}

/**
 * Starts the payment of a BOLT11 invoice: over the network, or internally if a wallet of this service issued it.
 *
 * The checks have this order.
 * 1. The text is one that this service issued, or its signature and network are valid.
 * 2. A replay of a live payment of this wallet returns that payment, even if the invoice has expired: a 400 for a retry would wrongly say that
 *    nothing was paid.
 * 3. The invoice can be paid.
 * 4. Payments and invoices of other wallets with the same payment hash. They come last, so that an unpayable invoice reveals nothing about them.
 * @throws Refusal, NodeUnavailable when no payment was started.
 */
export async function payInvoice(context: PaymentContext, order: InvoicePayment): Promise<StartedPayment> {
  const { wallet, claim } = order;
  let { payable: invoice, ...found } = await findPayable(context, order.invoice, wallet.id);
  const running = context.payingAtOnce.get(invoice.paymentHash);
  if (running) {
    // The other request may succeed, so this one must not be refused before.
    await running.paying.catch(() => undefined);
    ({ payable: invoice, ...found } = await findPayable(context, order.invoice, wallet.id));
  }
  const issued = isOfAnotherNode(found.issued, invoice) ? undefined : found.issued;
  const { paymentHash, paymentRequest } = invoice;
  const amountMsat = agreedAmount(invoice, order.amountMsat);
  const wanted = { walletId: wallet.id, paymentRequest, amountMsat, linkId: claim?.linkId };
  const live = found.isLive ? await readPayment(context.database, sql.findLive, paymentHash) : undefined;
  if (live?.walletId === wallet.id) {
    // The rate may have changed since.
    const isSame = order.fiat !== undefined && invoice.amountMsat === undefined && isSamePrice(order.fiat, live.fiat);
    return toReplay(context, requireReplay(live, isSame ? { ...wanted, amountMsat: live.amountMsat } : wanted));
  }

  requirePayable(invoice, unixSeconds(context.clock));
  if (amountMsat === undefined) throw new Refusal(order.amountMsat === undefined ? 'invoice_amount_missing' : 'invoice_amount_fixed');
  if (live) requireReplay(live, wanted);
  const local = issued && requireOpen(issued, invoice, wallet);
  if (local) await requirePayeeMayReceive(context, local, amountMsat);
  const direction = feeDirectionOf({ linkId: claim?.linkId, invoiceId: local?.id });
  const fee = order.isFree ? undefined : await context.fees.quote(wallet.id, direction, amountMsat);
  const payment = newPayment(context.clock, wallet, {
    wtxType: order.wtxType,
    serviceFeeMsat: fee?.feeMsat,
    feeScheduleId: fee?.scheduleId,
    paymentHash,
    paymentRequest,
    destPubkey: invoice.payee,
    amountMsat,
    userLabel: order.userLabel ?? invoice.description ?? '',
    memo: invoice.description ?? '',
    descriptionHash: invoice.descriptionHash,
    expirySeconds: invoice.expirySeconds,
    expiresAt: invoice.expiresAt,
    isKeysend: false,
    passThru: order.passThru,
    fiat: order.fiat && JSON.stringify(order.fiat),
    invoiceId: local?.id,
    linkId: claim?.linkId,
    successAction: order.successAction,
  });
  // An internal payment has no routing fee, so nothing is reserved and the wallet can be emptied.
  const reserveMsat = local ? ZERO_MSAT : (order.feeLimitMsat ?? feeLimit(PAYMENT_FEE_RULE, amountMsat));
  const { guards, extraRows, limits, lineageId, mustNotWait } = order;
  const claimed = claim && { rows: claim.rows(payment), events: [claim.event(payment)] };
  const draft = { payment, reserveMsat, guards, extraRows, limits, lineageId, mustNotWait, ...claimed };
  const ended = local && found.mayPayAtOnce ? await payAtOnce(context, { ...draft, issued: local }) : undefined;
  return ended ?? startPayment(context, { ...draft, issued: local }, found.pending);
}

/** The payer may not learn more about the payee. @throws Refusal `payee_restricted` */
async function requirePayeeMayReceive(context: PaymentContext, issued: Invoice, amountMsat: Msat): Promise<void> {
  try {
    await requireMayReceive(context, issued, amountMsat);
  } catch (error) {
    throw error instanceof Refusal && error.type === 'receiving_limit_exceeded' ? new Refusal('payee_restricted') : error;
  }
}

/**
 * Returns whether the invoice to be paid is one of another node, whose payment hash a wallet has chosen for a hold invoice. It is paid over the
 * network: otherwise anyone could prevent its payment.
 */
function isOfAnotherNode(issued: Invoice | undefined, { paymentRequest, payee }: Payable): boolean {
  return issued?.isHold === true && issued.paymentRequest !== paymentRequest && issued.destPubkey !== payee;
}

/** How long a wallet pays with holds after one of its payments has closed an invoice for nothing. */
const HOLD_SECONDS = 86_400;

/** LND and Core Lightning lock a payment for at most 2016 blocks (BOLT 4: `max_htlc_cltv`). LND requires that four of them are left. */
const MAX_FINAL_CLTV_BLOCKS = 2012;

/** Checks what no node can pay. BOLT 11: a payer must not pay if it does not know a required feature. */
function requirePayable(invoice: Payable, nowSeconds: number): void {
  if (invoice.expiresAt <= nowSeconds) throw new Refusal('invoice_expired');
  // PostgreSQL cannot store NUL in text.
  if (invoice.description?.includes('\u0000'))
    throw new Refusal('invoice_undecodable', 'The description of the invoice is not valid text.');
  if (invoice.minFinalCltvExpiry > MAX_FINAL_CLTV_BLOCKS) {
    throw new Refusal(
      'invoice_undecodable',
      `The invoice requires a final time lock (\`c\`) of ${invoice.minFinalCltvExpiry} blocks. A payment may have at most ${MAX_FINAL_CLTV_BLOCKS}. Request another invoice from the payee.`,
    );
  }
  const [bit] = unknownRequiredBits(invoice.features);
  if (bit !== undefined) throw new Refusal('invoice_undecodable', `The invoice requires feature ${bit}, which this service does not know.`);
}

/** Returns the amount of invoice, URI and request; undefined if they differ or none states one. */
function agreedAmount({ amountMsat, requestedMsat }: Payable, given: Msat | undefined): Msat | undefined {
  const stated = amountMsat ?? requestedMsat;
  if (given !== undefined && stated !== undefined && given !== stated) return undefined;
  return stated ?? given;
}

/**
 * Checks that an invoice of this service can be paid. The payment request must be the text that was issued: an invoice with the same hash
 * and another amount is a forgery.
 * @throws Refusal `invoice_mismatch`, `own_invoice`, `invoice_cancelled`, `invoice_paid`, `invoice_undecodable`.
 */
function requireOpen(invoice: Invoice, wanted: Payable, payer: Wallet): Invoice {
  if (invoice.paymentRequest !== wanted.paymentRequest) throw new Refusal('invoice_mismatch');
  if (invoice.walletId === payer.id) throw new Refusal('own_invoice');
  if (invoice.state === 'canceled' || (invoice.state === 'open' && invoice.decision !== undefined)) throw new Refusal('invoice_cancelled');
  if (invoice.state !== 'open') throw new Refusal('invoice_paid');
  if (!invoice.isHold && invoice.preimage === undefined) throw new Refusal('invoice_undecodable', WITHOUT_PREIMAGE);
  return invoice;
}

/** The payer would get no proof of the payment, and nothing could settle the invoice. */
const WITHOUT_PREIMAGE =
  'The invoice was imported from another program, which did not store its preimage. Only payers outside of this service can pay it. Ask the payee ' +
  'for another one.';

/** A decoded invoice, and what the URI that contained it requests for an invoice without an amount. */
export interface RequestedInvoice extends Bolt11 {
  readonly requestedMsat?: Msat | undefined;
}

/** An invoice to be paid, decoded or issued by this service. */
type Payable = Pick<
  RequestedInvoice,
  | 'paymentHash'
  | 'paymentRequest'
  | 'payee'
  | 'amountMsat'
  | 'description'
  | 'descriptionHash'
  | 'expirySeconds'
  | 'expiresAt'
  | 'minFinalCltvExpiry'
  | 'features'
  | 'requestedMsat'
>;

/**
 * Decodes an invoice, alone or in a URI, and checks its network.
 * @throws Refusal `invoice_undecodable`, `invoice_wrong_network`.
 */
export function readInvoice(paymentRequest: string, network: NodeInfo['network']): RequestedInvoice {
  const { text, requestedMsat } = invoiceText(paymentRequest);
  const invoice = decode(text);
  if (invoice.network === network) return { ...invoice, ...(requestedMsat !== undefined && { requestedMsat }) };
  throw new Refusal('invoice_wrong_network', `The invoice is for ${invoice.network}, this service is on ${network}.`);
}

/** Returns the invoice of a text without its URI. @throws Refusal `invoice_undecodable` for what is none */
function invoiceText(paymentRequest: string): { text: string; requestedMsat?: Msat } {
  const read = readPaymentText(paymentRequest);
  if (read.kind === 'invoice') return { text: read.text, ...(read.amountMsat !== undefined && { requestedMsat: msat(read.amountMsat) }) };
  const remedy = remedyFor(read);
  if (remedy !== undefined) throw new Refusal('invoice_undecodable', `${MUST_BE_INVOICE}; ${remedy}.`);
  return { text: paymentRequest };
}

function decode(text: string): Bolt11 {
  try {
    return decodeBolt11(text);
  } catch (error) {
    if (!(error instanceof InvalidInvoice)) throw error;
    throw new Refusal('invoice_undecodable', `${MUST_BE_INVOICE}; it cannot be read: ${error.message}. Copy it again, in full.`);
  }
}

/**
 * Reads an invoice and what the database has for its payment hash, in one round trip. A text that this service has issued is not decoded:
 * the comparison proves as much as the signature, which takes 0.3 ms. Any other text is decoded before the database's result is used.
 * @throws Refusal like {@link readInvoice}.
 */
async function findPayable(context: PaymentContext, invoice: string | RequestedInvoice, walletId: string) {
  const find = (paymentHash: string) => findByHash(context, paymentHash, walletId);
  if (typeof invoice !== 'string') return { ...(await find(invoice.paymentHash)), payable: invoice };
  const { text: bare, ...requested } = invoiceText(invoice);
  const text = canonicalText(bare);
  const hint = text === undefined ? undefined : unverifiedPaymentHash(text);
  const found = hint === undefined ? undefined : await find(hint);
  if (found?.issued && found.issued.paymentRequest === text) return { ...found, payable: { ...issuedPayable(found.issued), ...requested } };
  const decoded = readInvoice(invoice, context.connections.network());
  return { ...(found && hint === decoded.paymentHash ? found : await find(decoded.paymentHash)), payable: decoded };
}

/**
 * Returns what the database has for a payment hash: the invoice of this service, whose text may differ from the text to be paid, and whether
 * a payment is live (pending or succeeded). `pending` is the number of pending payments of the wallet. `mayPayAtOnce`: the wallet may pay the invoice
 * without a hold (pay-at-once.ts).
 */
export async function findByHash({ database, clock }: PaymentContext, paymentHash: string, walletId: string) {
  const row = await database.first(sql.findPayable, paymentHash, walletId, unixSeconds(clock) - HOLD_SECONDS);
  invariant(row, 'the statement returns a row for every hash');
  const { live_id, pending, may_pay_at_once, ...issued } = row;
  return {
    issued: issued.id === null ? undefined : rowToInvoice(issued),
    isLive: live_id !== null,
    pending,
    mayPayAtOnce: may_pay_at_once === 1,
  };
}

/** Returns the fields as the invoice's text has them. With a description hash, the memo is not part of the text. */
function issuedPayable(invoice: Invoice): Payable {
  const { paymentHash, paymentRequest, destPubkey, amountMsat, memo, descriptionHash, expirySeconds, createdAt } = invoice;
  return {
    paymentHash,
    paymentRequest,
    payee: destPubkey,
    amountMsat,
    description: descriptionHash === undefined ? memo : undefined,
    descriptionHash,
    expirySeconds,
    expiresAt: invoice.expiresAt ?? createdAt + expirySeconds,
    // It is paid without the network.
    minFinalCltvExpiry: 0,
    features: [],
  };
}

const MUST_BE_INVOICE = '`payment_request` must be a BOLT11 invoice';

/** Returns what was sent instead of an invoice, without repeating the text; undefined for a text of no known kind. */
function remedyFor(read: PaymentText): string | undefined {
  switch (read.kind) {
    case 'address':
      return 'this is a Lightning address. Get an invoice from its service first';
    case 'lnurl':
    case 'link':
    case 'web':
      return 'this is an LNURL or a web address. Get an invoice from its service first';
    case 'offer':
      return 'this is a BOLT12 offer, which this service does not pay';
    case 'bitcoin':
      return 'this is a Bitcoin address. Ask the payee for a Lightning invoice';
    case 'ambiguous':
      return AMBIGUOUS[read.problem];
    case 'unsupported':
      return `the URI requires \`${read.parameter}\`, which this service does not support. Ask the payee for the invoice alone`;
    default:
      return undefined;
  }
}

/** Nothing is paid when one text names two receivers or two amounts: the payer may have seen the other one. */
export const AMBIGUOUS = {
  receivers: 'the text names more than one receiver. Send one of them alone',
  amounts: 'the amount of the URI is not that of its invoice. Ask the payee for another one',
} as const;
