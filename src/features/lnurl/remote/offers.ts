import { isJsonObject, parseJson } from '../../../core/kernel/json.ts';
import { amountText, type Msat, minMsat } from '../../../core/kernel/money.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { shownText } from '../../../core/kernel/shown-text.ts';
import type { Bolt11 } from '../../../core/lightning/bolt11/bolt11.ts';
import type { RequestedAmount } from '../../../http/amounts.ts';
import { descriptionHash } from '../lnurl.ts';
import { brokenResponse, requireCallback, requireMsat, requireParameters, withParameters } from './response.ts';

/** What a payee accepts. */
export type PayOffer = ReturnType<typeof readPayOffer>;

/** Checks the parameters of LUD-06, step 3. Amounts are in millisatoshis. @throws Refusal `lnurl_refused`, `lnurl_invalid` */
export function readPayOffer(domain: string, response: unknown) {
  const object = requireParameters(domain, response, 'pay');
  const minSendable = requireMsat(domain, object, 'minSendable');
  const maxSendable = requireMsat(domain, object, 'maxSendable');
  if (minSendable > maxSendable || maxSendable === 0)
    throw brokenResponse(domain, 'has a `minSendable` above its `maxSendable`, or accepts no amount');
  const { commentAllowed: comment, payerData } = object;
  return {
    /** The host of the payee's link, for people. */
    domain,
    callback: requireCallback(domain, object),
    minSendable,
    maxSendable,
    /** The longest comment in characters (LUD-12); 0: none. */
    commentAllowed: Number.isSafeInteger(comment) ? Math.max(0, comment as number) : 0,
    /** The kinds of payer data that the payee accepts (LUD-18), and whether it requires them; null if it asks for none. */
    payerData: isJsonObject(payerData) ? acceptedPayerData(payerData) : null,
    ...readMetadata(domain, object.metadata),
  };
}

const MAX_ENTRIES = 100;
const MAX_TEXT = 1000;
const MAX_LONG_TEXT = 10_000;
const MAX_IDENTIFIER = 320;
/** LUD-06: 100 kB of image data in base64. */
const MAX_IMAGE = 136_536;
/** All of the above. */
const MAX_METADATA = 200_000;

/** Parses the metadata (LUD-06, LUD-16). @throws Refusal `lnurl_refused` */
export function readMetadata(domain: string, metadata: unknown) {
  if (typeof metadata !== 'string' || metadata.length > MAX_METADATA)
    throw brokenResponse(domain, 'has no text, or too long a text, in `metadata`');
  const entries = entriesOf(metadata);
  if (!entries) throw brokenResponse(domain, 'has `metadata` that is not a JSON array of arrays');
  const textOf = (...types: string[]) =>
    entries.find(([type, value]) => types.includes(type) && typeof value === 'string')?.[1] as string | undefined;
  const text = textOf('text/plain');
  if (text === undefined) throw brokenResponse(domain, 'has `metadata` without text/plain');
  const longText = textOf('text/long-desc');
  const identifier = textOf('text/identifier', 'text/email');
  return {
    /** The unparsed metadata. */
    metadata,
    /** For people. Its texts come from another service: escape them where they are shown. */
    description: {
      text: shownText(text, MAX_TEXT),
      long_desc: longText === undefined ? null : shownText(longText, MAX_LONG_TEXT, { keepLines: true }),
      /** `name@domain`, as the payee states it. */
      identifier: identifier === undefined ? null : shownText(identifier, MAX_IDENTIFIER),
      /** A data URL. */
      image: imageUrl('image/png', textOf('image/png;base64')) ?? imageUrl('image/jpeg', textOf('image/jpeg;base64')),
    },
  };
}

function entriesOf(metadata: string): [string, unknown][] | undefined {
  const parsed = parseJson(metadata);
  if (!Array.isArray(parsed) || parsed.length > MAX_ENTRIES) return undefined;
  const isEntry = (entry: unknown) => Array.isArray(entry) && typeof entry[0] === 'string';
  return parsed.every(isEntry) ? parsed : undefined;
}

function imageUrl(type: string, base64: string | undefined): string | null {
  if (base64 === undefined || base64.length > MAX_IMAGE || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return null;
  return `data:${type};base64,${base64}`;
}

const MAX_PAYER_FIELDS = 20;

/** Entries that are no objects are left out, as for an unknown kind of entry. */
function acceptedPayerData(payerData: object): Readonly<Record<string, { readonly mandatory: boolean }>> {
  const accepted = Object.entries(payerData)
    .filter(([name, entry]) => /^[a-zA-Z0-9_-]{1,40}$/.test(name) && isJsonObject(entry))
    .slice(0, MAX_PAYER_FIELDS)
    .map(([name, entry]) => [name, { mandatory: (entry as { mandatory?: unknown }).mandatory === true }] as const);
  return Object.fromEntries(accepted);
}

/** What the payer sends to the payee. */
export interface PayerMessage extends RequestedAmount {
  readonly comment?: string | undefined;
  /** LUD-18. */
  readonly payerData?: Readonly<Record<string, string>> | undefined;
}

/**
 * Checks the amount and the payer data against the offer. @throws Refusal `validation_failed` naming the field and the payee's rule.
 */
export function requireAccepted(offer: PayOffer, { amountMsat, amountField, unit, payerData = {} }: PayerMessage): void {
  const { domain, minSendable, maxSendable } = offer;
  const accepted = offer.payerData ?? {};
  if (amountMsat < minSendable || amountMsat > maxSendable)
    throw invalid(
      `\`${amountField}\` must be an amount from ${amountText(minSendable, unit)} to ${amountText(maxSendable, unit)}, the limits of ${domain}.`,
    );
  for (const name of Object.keys(payerData))
    if (!Object.hasOwn(accepted, name)) throw invalid(`\`payer_data\` must not contain \`${name}\`: ${domain} does not ask for it.`);
  for (const [name, { mandatory }] of Object.entries(accepted))
    if (mandatory && !Object.hasOwn(payerData, name)) throw invalid(`\`payer_data\` must contain \`${name}\`, which ${domain} requires.`);
}

/** Returns why a payee does not get a comment, as a sentence; undefined if it accepts it (LUD-12). The payment does not depend on it. */
export function whyCommentLeftOut({ domain, commentAllowed }: PayOffer, comment: string | undefined): string | undefined {
  if (comment === undefined || Array.from(comment).length <= commentAllowed) return undefined;
  return commentAllowed === 0 ? `${domain} accepts no comments.` : `${domain} accepts comments of at most ${commentAllowed} characters.`;
}

function invalid(message: string): Refusal {
  return new Refusal('validation_failed', message);
}

/**
 * Returns the URL of step 2, and the SHA-256 to which the invoice must commit if the payer has sent data about himself (LUD-18). Otherwise it may
 * have any description: LUD-06 no longer requires the hash of the metadata, and many services do not send it.
 */
export function invoiceRequest({ callback, metadata }: PayOffer, { amountMsat, comment, payerData = {} }: PayerMessage) {
  const payerText = Object.keys(payerData).length === 0 ? undefined : JSON.stringify(payerData);
  const url = withParameters(callback, {
    amount: String(amountMsat),
    ...(comment !== undefined && { comment }),
    ...(payerText !== undefined && { payerdata: payerText }),
  });
  return { url, descriptionHash: payerText === undefined ? undefined : descriptionHash(metadata, payerText) };
}

/** Checks the invoice of step 2, before any money is held. @throws Refusal `lnurl_refused` */
export function requireAgreed(
  domain: string,
  invoice: Bolt11,
  agreed: { amountMsat: Msat; descriptionHash: string | undefined; nowSeconds: number },
): void {
  const { amountMsat, descriptionHash, expiresAt } = invoice;
  if (amountMsat !== agreed.amountMsat) {
    const stated = amountMsat === undefined ? 'no amount' : `${amountMsat} msat`;
    throw brokenResponse(domain, `has an invoice for ${stated} instead of ${agreed.amountMsat} msat`);
  }
  if (agreed.descriptionHash !== undefined && descriptionHash !== agreed.descriptionHash)
    throw brokenResponse(domain, 'has an invoice that does not commit to the description of the payee and to `payer_data`');
  if (expiresAt <= agreed.nowSeconds) throw brokenResponse(domain, 'has an invoice that has expired');
}

const MAX_MEMO = 150;
const MAX_K1 = 1000;

/** What a withdraw link offers. */
export type WithdrawOffer = ReturnType<typeof readWithdrawOffer>;

/** Checks the parameters of LUD-03, step 3. Amounts are in millisatoshis. @throws Refusal `lnurl_refused`, `lnurl_invalid` */
export function readWithdrawOffer(domain: string, response: unknown) {
  const object = requireParameters(domain, response, 'withdraw');
  const { k1, defaultDescription } = object;
  const maxWithdrawable = requireMsat(domain, object, 'maxWithdrawable');
  // LUD-03 allows 0.
  const minWithdrawable =
    object.minWithdrawable === undefined ? minMsat(1 as Msat, maxWithdrawable) : requireMsat(domain, object, 'minWithdrawable');
  if (minWithdrawable > maxWithdrawable) throw brokenResponse(domain, 'has a `minWithdrawable` above its `maxWithdrawable`');
  if (typeof k1 !== 'string' || k1 === '' || k1.length > MAX_K1) throw brokenResponse(domain, 'has no text in `k1`');
  return {
    /** The host of the link, for people. */
    domain,
    callback: requireCallback(domain, object),
    k1,
    minWithdrawable,
    maxWithdrawable,
    /** What is withdrawn, in the words of the other service. */
    description: typeof defaultDescription === 'string' ? shownText(defaultDescription, MAX_MEMO) : '',
  };
}

/** @throws Refusal `validation_failed` with the limits of the link */
export function requireOffered(offer: WithdrawOffer, { amountMsat, amountField, unit }: RequestedAmount): void {
  const { domain, minWithdrawable, maxWithdrawable } = offer;
  if (amountMsat >= minWithdrawable && amountMsat <= maxWithdrawable) return;
  throw invalid(
    `\`${amountField}\` must be an amount from ${amountText(minWithdrawable, unit)} to ${amountText(maxWithdrawable, unit)}, the limits of this link of ${domain}.`,
  );
}
