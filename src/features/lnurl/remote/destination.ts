import { Refusal } from '../../../core/kernel/refusal.ts';
import { decodeLnurl, InvalidLnurl, MAX_LNURL_LENGTH } from '../../../core/lightning/bech32.ts';

/** What a link of another service is for. The service states it as the `tag` of its response, and some links as their URL scheme. */
export type LinkKind = 'pay' | 'withdraw' | 'login' | 'channel';

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
}

/** LUD-16, and `+`, which some services accept in front of a tag. */
const ADDRESS = /^([a-z0-9._+-]{1,64})@([^@\s/\\?#]{1,260})$/;

/** LUD-17. Some services leave out the slashes. */
const SCHEME = /^(lnurlp|lnurlw|lnurlc|keyauth):(?:\/\/)?([^/].*)$/i;

/** LUD-01: an LNURL as a query parameter of another URL. */
const FALLBACK = /[?&]lightning=(lnurl1[a-z0-9]+)(?:[&#]|$)/i;

const KIND_OF_SCHEME: Readonly<Record<string, LinkKind>> = { lnurlp: 'pay', lnurlw: 'withdraw', lnurlc: 'channel', keyauth: 'login' };

/**
 * Reads an LNURL (LUD-01), a link with a scheme of its own (LUD-17) or a Lightning address (LUD-16), with or without `lightning:`.
 * @throws Refusal `lnurl_invalid`, with the remedy for what was sent instead.
 */
export function readDestination(text: string, wanted: UsableKind): Destination {
  const bare = withoutScheme(text);
  if (bare.length > MAX_LNURL_LENGTH) throw new Refusal('lnurl_invalid', `An LNURL must be at most ${MAX_LNURL_LENGTH} characters.`);
  const address = readAddress(bare);
  if (address) {
    if (wanted !== 'pay') throw new Refusal('lnurl_invalid', PAYS_OUT);
    return address;
  }
  const { url, kind } = readLink(bare);
  const stated = kind ?? kindOfTag(url.searchParams.get('tag'));
  if (stated) requireKind(stated, wanted);
  return { url: url.href, domain: url.host, address: undefined };
}

/** Returns what a payment's `passThru` shows about its payee. */
export function payeeFields({ address, domain }: Destination, comment?: string): Record<string, string> {
  const payee: Record<string, string> = address === undefined ? { lnurl_domain: domain } : { ln_address: address };
  return comment === undefined ? payee : { ...payee, comment };
}

/** Returns whether a text is meant as a link or an address rather than as an invoice. It may still be invalid. */
export function isDestination(text: string): boolean {
  const bare = withoutScheme(text);
  return /^[^@\s:/]+@[^@\s/]+$/.test(bare) || /^(lnurl1|https?:)/i.test(bare) || SCHEME.test(bare) || FALLBACK.test(bare);
}

function withoutScheme(text: string): string {
  return text.trim().replace(/^lightning:(?:\/\/)?/i, '');
}

const PAYS_OUT =
  'This is a Lightning address, which receives money; it is not a withdraw link. Pay it with `POST /v1/wallet/{key}/lnurlp/pay`.';

/** Returns undefined for a text that is no address. The host must remain what was typed, apart from international names. */
function readAddress(text: string): Destination | undefined {
  const [, name, host] = ADDRESS.exec(text.toLowerCase()) ?? [];
  const url = name && host ? URL.parse(`${schemeOf(host)}://${host}/.well-known/lnurlp/${name}`) : null;
  if (!url || url.host === '') return undefined;
  return { url: url.href, domain: url.host, address: `${name}@${url.host}` };
}

function readLink(text: string): { url: URL; kind: LinkKind | undefined } {
  const [, scheme = '', rest = ''] = SCHEME.exec(text) ?? [];
  if (scheme !== '' && !/^lnurl1/i.test(rest))
    return { url: urlOf(`${schemeOf(rest)}://${rest}`), kind: KIND_OF_SCHEME[scheme.toLowerCase()] };
  const [, fallback] = FALLBACK.exec(text) ?? [];
  const lnurl = fallback ?? (scheme === '' ? text : rest);
  for (const [form, remedy] of MISTAKEN_FOR_LINKS) if (form.test(lnurl)) throw new Refusal('lnurl_invalid', remedy);
  try {
    return { url: new URL(decodeLnurl(lnurl)), kind: KIND_OF_SCHEME[scheme.toLowerCase()] };
  } catch (error) {
    if (!(error instanceof InvalidLnurl)) throw error;
    throw new Refusal('lnurl_invalid', `This is neither an LNURL nor a Lightning address such as name@example.com: ${error.message}.`);
  }
}

const MISTAKEN_FOR_LINKS: readonly (readonly [RegExp, string])[] = [
  [/^ln(bc|tb|tbs|bcrt)[0-9]/i, 'This is a BOLT11 invoice. Pay it with `POST /v1/wallet/{key}/withdraw`.'],
  [/^lno1/i, 'This is a BOLT12 offer, which this service does not pay.'],
  [/^(bitcoin:|bc1|tb1|bcrt1)/i, 'This is a Bitcoin address. Ask the payee for a Lightning address.'],
  [/^https?:/i, 'This is a web address without an LNURL in it. If it is the URL of a pay link, write lnurlp:// in place of https://.'],
];

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
