import type { Database } from '../db/database.ts';
import { type Invoice, rowToInvoice } from '../invoices/invoice.ts';
import { Refusal } from '../kernel/refusal.ts';
import { type Bolt11, canonicalText, decodeBolt11, InvalidInvoice, unverifiedPaymentHash } from '../lightning/bolt11/bolt11.ts';
import type { NodeInfo } from '../lightning/node.ts';
import * as sql from './payments.sql.ts';

/** What the payment of an invoice of this service needs of it: the side that is credited. */
export type IssuedInvoice = Pick<Invoice, 'id' | 'ledgerAccount' | 'wtxType' | 'preimage' | 'state'>;

/** What is paid: the same of a decoded invoice, and of one that this service has issued. */
export type Payable = Pick<
  Bolt11,
  'paymentHash' | 'paymentRequest' | 'payee' | 'amountMsat' | 'description' | 'descriptionHash' | 'expirySeconds' | 'expiresAt' | 'features'
>;

/** What the database has of a payment hash. */
interface Found {
  /** The invoice of this service with this hash. Its text may be another than the one that is to be paid. */
  readonly issued: Invoice | undefined;
  /** Whether a payment of the hash is pending or has succeeded. */
  readonly isLive: boolean;
  /** How many payments the wallet has in flight. */
  readonly pending: number;
}

export type FoundPayable = Found & { readonly payable: Payable };

/**
 * Reads an invoice that is to be paid.
 * @throws Refusal `invoice_undecodable`, `invoice_wrong_network`.
 */
export function readInvoice(paymentRequest: string, network: NodeInfo['network']): Bolt11 {
  let invoice: Bolt11;
  try {
    invoice = decodeBolt11(paymentRequest);
  } catch (error) {
    if (error instanceof InvalidInvoice) throw notAnInvoice(paymentRequest, error);
    throw error;
  }
  if (invoice.network === network) return invoice;
  throw new Refusal('invoice_wrong_network', `The invoice is for ${invoice.network}, this service is on ${network}.`);
}

/**
 * Reads an invoice and what the database has of it, in one round trip. A text that equals one which this service issued is not decoded:
 * the comparison proves as much as the signature, which costs 0.3 ms. Every other text is decoded before anything is said of it.
 * @throws Refusal as {@link readInvoice}.
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

/** As its text says: a memo beside a description hash is not part of it. */
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

/** Explains what a text is that was sent as an invoice, without repeating it. */
function notAnInvoice(text: string, { message }: InvalidInvoice): Refusal {
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
