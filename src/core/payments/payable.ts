import type { Database } from '../db/database.ts';
import { type Invoice, rowToInvoice } from '../invoices/invoice.ts';
import type { Msat } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import { type Bolt11, canonicalText, decodeBolt11, InvalidInvoice, unverifiedPaymentHash } from '../lightning/bolt11/bolt11.ts';
import type { NodeInfo } from '../lightning/node.ts';
import type { Payment } from './payment.ts';
import * as sql from './payments.sql.ts';

/** The fields of an invoice of this service that an internal payment needs: the side that is credited. */
export type IssuedInvoice = Pick<Invoice, 'id' | 'ledgerAccount' | 'nodeId' | 'wtxType' | 'preimage' | 'state'>;

/** An invoice to be paid, decoded or issued by this service. */
export type Payable = Pick<
  Bolt11,
  'paymentHash' | 'paymentRequest' | 'payee' | 'amountMsat' | 'description' | 'descriptionHash' | 'expirySeconds' | 'expiresAt' | 'features'
>;

/** What the database has for a payment hash. */
interface Found {
  /** The invoice of this service with the hash. Its text may differ from the text to be paid. */
  readonly issued: Invoice | undefined;
  /** Whether a payment of the hash is live: pending or succeeded. */
  readonly isLive: boolean;
  /** The number of pending payments of the wallet. */
  readonly pending: number;
}

export type FoundPayable = Found & { readonly payable: Payable };

/**
 * Decodes an invoice and checks its network.
 * @throws Refusal `invoice_undecodable`, `invoice_wrong_network`.
 */
export function readInvoice(paymentRequest: string, network: NodeInfo['network']): Bolt11 {
  let invoice: Bolt11;
  try {
    invoice = decodeBolt11(paymentRequest);
  } catch (error) {
    if (error instanceof InvalidInvoice) throw unreadableInvoice(paymentRequest, error);
    throw error;
  }
  if (invoice.network === network) return invoice;
  throw new Refusal('invoice_wrong_network', `The invoice is for ${invoice.network}, this service is on ${network}.`);
}

/**
 * Reads an invoice and what the database has for its payment hash, in one round trip. A text that this service has issued is not decoded:
 * the comparison proves as much as the signature, which takes 0.3 ms. Any other text is decoded before the database's result is used.
 * @throws Refusal like {@link readInvoice}.
 */
export async function findPayable(
  deps: { database: Database; network: () => NodeInfo['network'] },
  invoice: string | Bolt11,
  walletId: string,
): Promise<FoundPayable> {
  const find = (paymentHash: string) => findByHash(deps, paymentHash, walletId);
  if (typeof invoice !== 'string') return { ...(await find(invoice.paymentHash)), payable: invoice };
  const text = canonicalText(invoice);
  const hint = text === undefined ? undefined : unverifiedPaymentHash(text);
  const found = hint === undefined ? undefined : await find(hint);
  if (found?.issued && found.issued.paymentRequest === text) return { ...found, payable: issuedPayable(found.issued) };
  const decoded = readInvoice(invoice, deps.network());
  return { ...(found && hint === decoded.paymentHash ? found : await find(decoded.paymentHash)), payable: decoded };
}

async function findByHash(deps: { database: Database }, paymentHash: string, walletId: string): Promise<Found> {
  const row = await deps.database.first(sql.findPayable, paymentHash, walletId);
  if (!row) return { issued: undefined, isLive: false, pending: 0 };
  const { live_id, pending, ...issued } = row;
  return { issued: issued.id === null ? undefined : rowToInvoice(issued), isLive: live_id !== null, pending };
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
    features: [],
  };
}

/** Describes what was sent instead of an invoice, without repeating the text. */
function unreadableInvoice(text: string, { message }: InvalidInvoice): Refusal {
  const [, remedy] = MISTAKEN_FOR_INVOICES.find(([form]) => form.test(text.trim().replace(/^lightning:/i, ''))) ?? [];
  const rest = remedy ?? `it cannot be read: ${message}. Copy it again, in full`;
  return new Refusal('invoice_undecodable', `\`payment_request\` must be a BOLT11 invoice; ${rest}.`);
}

const MISTAKEN_FOR_INVOICES: readonly (readonly [RegExp, string])[] = [
  [/^[^@\s]+@[^@\s]+$/, 'this is a Lightning address. Get an invoice from its service first'],
  [/^(lnurl1|https?:|lnurlp:|lnurlw:|keyauth:)/i, 'this is an LNURL. Get an invoice from its service first'],
  [/^lno1/i, 'this is a BOLT12 offer, which this service does not pay'],
  [/^(bitcoin:|bc1|tb1|bcrt1|[13mn2][1-9A-HJ-NP-Za-km-z]{25,34}$)/i, 'this is a Bitcoin address. Ask the payee for a Lightning invoice'],
];

/** The fields of a payment request that are compared with an earlier payment. */
export interface WantedPayment {
  readonly walletId: string;
  /** The canonical text: lower case, without `lightning:`. */
  readonly paymentRequest: string;
  /** Undefined when neither the invoice nor the request states it. */
  readonly amountMsat: Msat | undefined;
  /** The withdraw link that the request claims. */
  readonly linkId: string | undefined;
}

/**
 * Returns the live payment (pending or settled) of a payment hash if the request repeats it: the same wallet, or for a claim the same
 * withdraw link, with the same payment request text and amount. Any other request is rejected, because a hash is paid once. Only the keys of
 * the payment's wallet get details, because anyone who has seen a payment hash can put it into a forged invoice.
 * @throws Refusal `invoice_paid`, `invoice_mismatch`.
 */
export function requireRepeat(live: Payment, wanted: WantedPayment): Payment {
  const isSameText = live.paymentRequest === wanted.paymentRequest;
  const isClaim = wanted.linkId !== undefined;
  const isOwn = live.walletId === wanted.walletId && (!isClaim || live.linkId === wanted.linkId);
  if (isOwn && isSameText && live.amountMsat === wanted.amountMsat) return live;
  if (!isOwn || isClaim) throw new Refusal(isSameText ? 'invoice_paid' : 'invoice_mismatch');
  throw new Refusal('invoice_mismatch', mismatchMessage(live, isSameText));
}

/** This request pays nothing. While the other payment is pending, its outcome is open. */
function mismatchMessage({ id, state, amountMsat }: Payment, isSameText: boolean): string {
  const difference = isSameText ? `another amount (${amountMsat} msat)` : 'another payment request text';
  const progress = state === 'pending' ? 'is pending and may still be paid' : 'has succeeded';
  return (
    `This wallet has a payment of the same payment hash with ${difference}: ${id}, which ${progress}. ` +
    `This request paid nothing. Read GET /v1/lntx/${id} for the outcome of that payment.`
  );
}
