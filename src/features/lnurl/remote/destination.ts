import { type LinkKind, type PaymentText, readPaymentText } from '../../../core/kernel/payment-text.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { decodeLnurl, InvalidLnurl, MAX_LNURL_LENGTH } from '../../../core/lightning/bech32.ts';
import { AMBIGUOUS } from '../../../core/payments/pay-invoice.ts';

/** The kinds that this service can use. */
export type UsableKind = 'pay' | 'withdraw';

/** Sources: LUD-02, LUD-03, LUD-04, LUD-06, LUD-07. */
const KIND_OF_TAG: ReadonlyMap<unknown, LinkKind> = new Map([
  ['payRequest', 'pay'],
  ['withdrawRequest', 'withdraw'],
  ['login', 'login'],
  ['channelRequest', 'channel'],
  ['hostedChannelRequest', 'channel'],
]);

/** Returns the kind that a `tag` names; undefined for an unknown one. */
export function kindOfTag(tag: unknown): LinkKind | undefined {
  return KIND_OF_TAG.get(tag);
}

/** What to do with a link of another kind than the request needs. */
const REMEDY: Readonly<Record<LinkKind, string>> = {
  pay: 'This is a pay link, not a withdraw link. Pay it with `POST /v1/wallet/{key}/lnurlp/pay`.',
  withdraw: 'This is a withdraw link, not a pay link. Receive from it with `POST /v1/wallet/{key}/lnurl/pull`.',
  login: 'This is a login link (LNURL-auth). This service does not log in at other services.',
  channel: 'This is a channel link. This service does not open channels on request.',
};

/** @throws Refusal `lnurl_invalid` with the remedy, unless the kind is the one that the request needs. */
export function requireKind(found: LinkKind, wanted: UsableKind): void {
  if (found !== wanted) throw new Refusal('lnurl_invalid', REMEDY[found]);
}

/** A link or Lightning address of another service. */
export interface Destination {
  /** The URL of step 1. It is untrusted: only the guarded HTTP client may fetch it. */
  readonly url: string;
  /** The host of the URL, with its port if it is not the default, for people. */
  readonly domain: string;
  /** The Lightning address in lower case (LUD-16), if one was given. */
  readonly address: string | undefined;
  /** The address was written with ₿, so it may have no LNURL service. */
  readonly isBip353?: boolean;
}

/**
 * Reads an LNURL (LUD-01), a link with a scheme of its own (LUD-17) or a Lightning address (LUD-16), in any form of `readPaymentText`.
 * @throws Refusal `lnurl_invalid`, with the remedy for what was sent instead.
 */
export function readDestination(text: string, wanted: UsableKind): Destination {
  const read = readPaymentText(text);
  if ('text' in read && read.text.length > MAX_LNURL_LENGTH) throw tooLong();
  if (read.kind === 'address') {
    if (wanted !== 'pay') throw new Refusal('lnurl_invalid', PAYS_OUT);
    return addressDestination(read);
  }
  const { url, kind } = readLink(read, text);
  const stated = kind ?? kindOfTag(url.searchParams.get('tag'));
  if (stated) requireKind(stated, wanted);
  return { url: url.href, domain: url.host, address: undefined };
}

/** Returns what a payment's `passThru` shows about its payee. */
export function payeeFields({ address, domain }: Destination, comment?: string): Record<string, string> {
  const payee: Record<string, string> = address === undefined ? { lnurl_domain: domain } : { ln_address: address };
  return comment === undefined ? payee : { ...payee, comment };
}

/**
 * Returns the JSON text of a `passThru` that says why its comment was not sent, instead of the comment. Without a comment, or without a reason because
 * it was sent, it returns the `passThru` as it is.
 */
export function withoutComment<T extends string | null | undefined>(
  passThru: T,
  comment: string | null | undefined,
  reason: string | undefined,
): T | string {
  if (comment === undefined || comment === null || reason === undefined) return passThru;
  const { comment: stored, ...others } = JSON.parse(passThru ?? '{}') as Record<string, unknown>;
  // A caller may have a field of this name, too.
  const own = stored === undefined || stored === comment ? {} : { comment: stored };
  return JSON.stringify({ comment_not_sent: reason, ...others, ...own });
}

/** Returns whether a text is meant as a link or an address rather than as an invoice. It may still be invalid. */
export function isDestination(text: string): boolean {
  return ['address', 'lnurl', 'link', 'web'].includes(readPaymentText(text).kind);
}

const PAYS_OUT =
  'This is a Lightning address, which receives money; it is not a withdraw link. Pay it with `POST /v1/wallet/{key}/lnurlp/pay`.';

/** The host must remain what was typed, apart from international names. */
function addressDestination({ text, isBip353 }: Extract<PaymentText, { kind: 'address' }>): Destination {
  const [name = '', host = ''] = text.split('@');
  const url = URL.parse(`${schemeOf(host)}://${host}/.well-known/lnurlp/${name}`);
  if (!url || url.host === '') throw neither('the host is not valid');
  return { url: url.href, domain: url.host, address: `${name}@${url.host}`, ...(isBip353 && { isBip353 }) };
}

function readLink(read: PaymentText, text: string): { url: URL; kind: LinkKind | undefined } {
  if (read.kind === 'link') return { url: urlOf(`${schemeOf(read.target)}://${read.target}`), kind: read.linkKind };
  const remedy = remedyFor(read);
  if (remedy !== undefined) throw new Refusal('lnurl_invalid', remedy);
  const lnurl = read.kind === 'lnurl' ? read.text : text;
  if (lnurl.length > MAX_LNURL_LENGTH) throw tooLong();
  try {
    return { url: new URL(decodeLnurl(lnurl)), kind: read.kind === 'lnurl' ? read.linkKind : undefined };
  } catch (error) {
    if (!(error instanceof InvalidLnurl)) throw error;
    throw neither(error.message);
  }
}

function tooLong(): Refusal {
  return new Refusal('lnurl_invalid', `An LNURL must be at most ${MAX_LNURL_LENGTH} characters.`);
}

function neither(reason: string): Refusal {
  return new Refusal('lnurl_invalid', `This is neither an LNURL nor a Lightning address such as name@example.com: ${reason}.`);
}

function remedyFor(read: PaymentText): string | undefined {
  switch (read.kind) {
    case 'invoice':
      return 'This is a BOLT11 invoice. Pay it with `POST /v1/wallet/{key}/withdraw`.';
    case 'offer':
      return 'This is a BOLT12 offer, which this service does not pay.';
    case 'bitcoin':
      return 'This is a Bitcoin address. Ask the payee for a Lightning address.';
    case 'web':
      return 'This is a web address without an LNURL in it. If it is the URL of a pay link, write lnurlp:// in place of https://.';
    case 'ambiguous':
      return `This cannot be used: ${AMBIGUOUS[read.problem]}.`;
    case 'unsupported':
      return `The URI requires \`${read.parameter}\`, which this service does not support.`;
    default:
      return undefined;
  }
}

/** @throws Refusal for a text that is no URL. The URL parser removes tabs and line breaks, so they are rejected first. */
function urlOf(text: string): URL {
  const url = /[\s\p{Cc}\p{Cs}]/u.test(text) ? null : URL.parse(text);
  if (!url || url.host === '') throw new Refusal('lnurl_invalid', 'This is not a valid link: no URL follows the scheme.');
  return url;
}

/**
 * LUD-16 and LUD-17: https, except for onion services. A loopback address has no certificate; the HTTP client rejects it unless the operator
 * allows it.
 */
function schemeOf(hostAndPath: string): 'http' | 'https' {
  return /^(?:[^/?#]+\.onion|localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?(?:[/?#]|$)/i.test(hostAndPath) ? 'http' : 'https';
}
