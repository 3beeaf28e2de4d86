import type { Invoice } from '../../../core/invoices/invoice.ts';
import type { Invoices } from '../../../core/invoices/invoices.ts';
import { isJsonObject } from '../../../core/kernel/json.ts';
import { type Msat, minMsat } from '../../../core/kernel/money.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { shownText } from '../../../core/kernel/shown-text.ts';
import type { Guard, RowWrite } from '../../../core/ledger/ledger.ts';
import { NodeUnavailable } from '../../../core/lightning/node.ts';
import type { Outbound } from '../../../core/outbound/outbound.ts';
import type { Wallet } from '../../../core/wallets/wallets.ts';
import type { Destination } from './destination.ts';
import type { RemoteLinkOptions } from './remote-links.ts';
import {
  brokenResponse,
  fetchJson,
  isError,
  refusedBy,
  requireCallback,
  requireMsat,
  requireParameters,
  withParameters,
} from './response.ts';

/** A withdrawal from a link of another service, into a wallet. */
export interface RemotePull {
  readonly wallet: Wallet;
  readonly destination: Destination;
  readonly amountMsat: Msat;
  /** Absent: the description of the link. */
  readonly memo: string | undefined;
  /** Conditions of the invoice, such as the validity of the requesting key. */
  readonly guards: readonly Guard[];
  /** Returns rows to write in the posting that stores the invoice. */
  readonly extraRows: (invoiceId: string) => readonly RowWrite[];
}

/** The invoice that was sent to the other service. */
export interface RequestedWithdrawal {
  readonly invoice: Invoice;
  /** Why the service does not pay; then the invoice is cancelled. Otherwise the service may pay until the invoice expires. */
  readonly refusal: Refusal | undefined;
}

/** A service pays within seconds. An invoice that it did not confirm stays payable for this time. */
const EXPIRY_SECONDS = 3600;
const MAX_MEMO = 150;
const MAX_K1 = 1000;

/** What a link offers: the checked parameters of LUD-03, step 3. */
interface WithdrawOffer {
  readonly callback: URL;
  readonly k1: string;
  readonly description: string;
}

/**
 * Withdraws from a link of another service (LUD-03): creates an invoice of the wallet and sends it to the service, which pays it later.
 * @throws Refusal, NodeUnavailable when no invoice was created.
 */
export async function pullRemote(options: RemoteLinkOptions, order: RemotePull): Promise<RequestedWithdrawal> {
  const { outbound, invoices } = options;
  const { destination, wallet, amountMsat, guards, extraRows } = order;
  const { domain, url } = destination;
  const offer = readWithdrawOffer(domain, await fetchJson(outbound, url), amountMsat);
  const invoice = await invoices.create({
    wallet,
    amountMsat,
    memo: order.memo ?? offer.description,
    expirySeconds: EXPIRY_SECONDS,
    passThru: JSON.stringify({ lnurl_domain: domain }),
    wtxType: 'ln_deposit',
    guards,
    extraRows,
  });
  const refusal = await sendInvoice(outbound, domain, offer, invoice.paymentRequest);
  return refusal ? cancelRefused(invoices, invoice, refusal) : { invoice, refusal };
}

/** @throws Refusal `lnurl_refused`, `lnurl_invalid`, `validation_failed` */
function readWithdrawOffer(domain: string, response: unknown, amountMsat: Msat): WithdrawOffer {
  const object = requireParameters(domain, response, 'withdraw');
  const { k1, defaultDescription } = object;
  const maxMsat = requireMsat(domain, object, 'maxWithdrawable');
  // LUD-03 allows 0.
  const minimumMsat = object.minWithdrawable === undefined ? minMsat(1 as Msat, maxMsat) : requireMsat(domain, object, 'minWithdrawable');
  if (minimumMsat > maxMsat) throw brokenResponse(domain, 'has a `minWithdrawable` above its `maxWithdrawable`');
  if (typeof k1 !== 'string' || k1 === '' || k1.length > MAX_K1) throw brokenResponse(domain, 'has no text in `k1`');
  if (amountMsat < minimumMsat || amountMsat > maxMsat)
    throw new Refusal(
      'validation_failed',
      `\`num_satoshis\` must be an amount from ${minimumMsat} to ${maxMsat} millisatoshis, the limits of this link of ${domain}.`,
    );
  const description = typeof defaultDescription === 'string' ? shownText(defaultDescription, MAX_MEMO) : '';
  return { callback: requireCallback(domain, object), k1, description };
}

/**
 * Sends the invoice (LUD-03, step 5). Returns a refusal if the service reports an error or the request was not sent. After anything else,
 * such as a lost response, the service may pay.
 */
async function sendInvoice(outbound: Outbound, domain: string, { callback, k1 }: WithdrawOffer, pr: string): Promise<Refusal | undefined> {
  try {
    const response = await fetchJson(outbound, withParameters(callback, { k1, pr }), domain);
    return isJsonObject(response) && isError(response) ? refusedBy(domain, response) : undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.type === 'lnurl_unavailable' ? undefined : error;
  }
}

/**
 * Cancels the invoice that a service refused to pay. If it cannot be cancelled, because it is being paid or the node did not confirm, the
 * service may still pay.
 */
async function cancelRefused(invoices: Invoices, invoice: Invoice, refusal: Refusal): Promise<RequestedWithdrawal> {
  try {
    // Without guards: the key may have been revoked meanwhile.
    return { invoice: await invoices.cancel(invoice, []), refusal };
  } catch (error) {
    const isPaid = error instanceof Refusal && error.type === 'invoice_paid';
    if (!isPaid && !(error instanceof NodeUnavailable)) throw error;
    return { invoice: (await invoices.find(invoice.id)) ?? invoice, refusal: undefined };
  }
}
