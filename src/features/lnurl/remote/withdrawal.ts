import { isJsonObject } from '../../../core/kernel/json.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import type { Destination } from './destination.ts';
import { readWithdrawOffer, type WithdrawOffer } from './offers.ts';
import type { LinkClient } from './own-links.ts';
import { fetchJson, isError, refusedBy, withParameters } from './response.ts';

/** An invoice that is sent to the service of a withdraw link. */
export interface SentInvoice {
  readonly paymentRequest: string;
}

/** Creates the invoice for an offer. @throws Refusal if the offer does not fit */
export type InvoiceForOffer<T extends SentInvoice> = (offer: WithdrawOffer) => Promise<T>;

/** Reads what a withdraw link offers (LUD-03, step 3). @throws Refusal */
export async function probeWithdrawal(client: LinkClient, { url, domain }: Destination): Promise<WithdrawOffer> {
  return readWithdrawOffer(domain, await fetchJson(client, url));
}

/**
 * Withdraws from a link: creates an invoice for its offer and sends it to the service of the link.
 * @returns the invoice, and a refusal if the service reports an error or the request was not sent. Otherwise it may pay. @throws Refusal
 */
export async function withdraw<T extends SentInvoice>(client: LinkClient, destination: Destination, createInvoice: InvoiceForOffer<T>) {
  const offer = await probeWithdrawal(client, destination);
  const invoice = await createInvoice(offer);
  const url = withParameters(offer.callback, { k1: offer.k1, pr: invoice.paymentRequest });
  return { invoice, refusal: await sendInvoice(client, destination.domain, url) };
}

/**
 * Sends the invoice of a withdrawal (LUD-03, step 5). Returns a refusal if the service reports an error or the request was not sent. After
 * anything else, such as a lost response, the service may pay.
 */
async function sendInvoice(client: LinkClient, domain: string, url: string): Promise<Refusal | undefined> {
  try {
    const response = await fetchJson(client, url, domain);
    return isJsonObject(response) && isError(response) ? refusedBy(domain, response) : undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.type === 'lnurl_unavailable' ? undefined : error;
  }
}
