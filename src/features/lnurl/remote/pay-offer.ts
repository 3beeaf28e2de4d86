import type { Msat } from '../../../core/kernel/money.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import type { Bolt11 } from '../../../core/lightning/bolt11/bolt11.ts';
import { descriptionHash } from '../lnurl.ts';
import { type AcceptedPayerData, type PayeeDescription, readAcceptedPayerData, readMetadata } from './metadata.ts';
import { brokenResponse, requireCallback, requireMsat, requireParameters, withParameters } from './response.ts';

/** What a payee accepts: the checked parameters of LUD-06, step 3. */
export interface PayOffer {
  /** The host of the payee's link, for people. */
  readonly domain: string;
  readonly callback: URL;
  readonly minMsat: Msat;
  readonly maxMsat: Msat;
  /** The longest comment in characters (LUD-12); 0: none. */
  readonly commentLength: number;
  /** LUD-18; undefined if the payee asks for none. */
  readonly payerData: AcceptedPayerData | undefined;
  readonly description: PayeeDescription;
  /** The unparsed metadata, to which the invoice commits. */
  readonly metadata: string;
}

/** @throws Refusal `lnurl_refused`, `lnurl_invalid` */
export function readPayOffer(domain: string, response: unknown): PayOffer {
  const object = requireParameters(domain, response, 'pay');
  const minMsat = requireMsat(domain, object, 'minSendable');
  const maxMsat = requireMsat(domain, object, 'maxSendable');
  if (minMsat > maxMsat || maxMsat === 0) throw brokenResponse(domain, 'has a `minSendable` above its `maxSendable`, or accepts no amount');
  const { text: metadata, description } = readMetadata(domain, object.metadata);
  const { commentAllowed: comment } = object;
  return {
    domain,
    callback: requireCallback(domain, object),
    minMsat,
    maxMsat,
    commentLength: Number.isSafeInteger(comment) ? Math.max(0, comment as number) : 0,
    payerData: readAcceptedPayerData(object.payerData),
    description,
    metadata,
  };
}

/** What the payer sends to the payee. */
export interface PayerMessage {
  readonly amountMsat: Msat;
  /** The name of the request's field with the amount, for errors. */
  readonly amountField: 'amt_msat' | 'num_satoshis';
  readonly comment: string | undefined;
  /** LUD-18. */
  readonly payerData: Readonly<Record<string, string>> | undefined;
}

/** Checks the message against the offer. @throws Refusal `validation_failed` naming the field and the payee's rule. */
export function requireAccepted(offer: PayOffer, { amountMsat, amountField, comment, payerData = {} }: PayerMessage): void {
  const { domain, minMsat, maxMsat, commentLength } = offer;
  if (amountMsat < minMsat || amountMsat > maxMsat)
    throw invalid(`\`${amountField}\` must be an amount from ${minMsat} to ${maxMsat} millisatoshis, the limits of ${domain}.`);
  if (comment !== undefined && commentLength === 0) throw invalid(`\`comment\` must be left out: ${domain} accepts no comments.`);
  if (comment !== undefined && Array.from(comment).length > commentLength)
    throw invalid(`\`comment\` must be at most ${commentLength} characters, the limit of ${domain}.`);
  for (const name of Object.keys(payerData))
    if (!offer.payerData?.has(name)) throw invalid(`\`payer_data\` must not contain \`${name}\`: ${domain} does not ask for it.`);
  for (const [name, { isMandatory }] of offer.payerData ?? [])
    if (isMandatory && !Object.hasOwn(payerData, name)) throw invalid(`\`payer_data\` must contain \`${name}\`, which ${domain} requires.`);
}

function invalid(message: string): Refusal {
  return new Refusal('validation_failed', message);
}

/** Returns the URL of step 2, and the SHA-256 to which the invoice must commit (LUD-06, LUD-18). */
export function invoiceRequest(
  offer: PayOffer,
  { amountMsat, comment, payerData }: PayerMessage,
): { url: string; descriptionHash: string } {
  const payerText = payerData === undefined || Object.keys(payerData).length === 0 ? undefined : JSON.stringify(payerData);
  const url = withParameters(offer.callback, {
    amount: String(amountMsat),
    ...(comment !== undefined && { comment }),
    ...(payerText !== undefined && { payerdata: payerText }),
  });
  return { url, descriptionHash: descriptionHash(offer.metadata, payerText) };
}

/** Checks the invoice of step 2, before any money is held. @throws Refusal `lnurl_refused` */
export function requireAgreed(
  domain: string,
  invoice: Bolt11,
  agreed: { amountMsat: Msat; descriptionHash: string; nowSeconds: number },
): void {
  const { amountMsat, descriptionHash, expiresAt } = invoice;
  if (amountMsat !== agreed.amountMsat) {
    const stated = amountMsat === undefined ? 'no amount' : `${amountMsat} msat`;
    throw brokenResponse(domain, `has an invoice for ${stated} instead of ${agreed.amountMsat} msat`);
  }
  if (descriptionHash !== agreed.descriptionHash)
    throw brokenResponse(domain, 'has an invoice that does not commit to the description of the payee');
  if (expiresAt <= agreed.nowSeconds) throw brokenResponse(domain, 'has an invoice that has expired');
}
