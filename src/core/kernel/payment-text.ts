/** What a link is for: LUD-06, LUD-03, LUD-04 and LUD-02 (or LUD-07). */
export type LinkKind = 'pay' | 'withdraw' | 'login' | 'channel';

/** What a text that was entered, scanned or pasted names as the receiver of money, by its form alone. It may still be invalid. */
export type PaymentText =
  | { readonly kind: 'empty' }
  /** `amountMsat`: what a `bitcoin:` URI requests with an invoice without an amount. */
  | { readonly kind: 'invoice'; readonly text: string; readonly amountMsat?: number }
  /** A Lightning address in lower case. `isBip353`: it was written with ₿. */
  | { readonly kind: 'address'; readonly text: string; readonly isBip353: boolean }
  | { readonly kind: 'lnurl'; readonly text: string; readonly linkKind?: LinkKind }
  /** A link with a scheme of its own (LUD-17). `target` is what follows the scheme. */
  | { readonly kind: 'link'; readonly text: string; readonly linkKind: LinkKind; readonly target: string }
  /** The public key of a node, in lower case. */
  | { readonly kind: 'node'; readonly text: string }
  /** More than one receiver, or an amount in the URI that is not that of its invoice. */
  | { readonly kind: 'ambiguous'; readonly problem: 'receivers' | 'amounts' }
  /** A URI with a parameter that a payer must understand (BIP-21). */
  | { readonly kind: 'unsupported'; readonly parameter: string }
  /** A Bitcoin address, a BOLT12 offer, the connection of an app, a web address without an LNURL, or anything else. */
  | { readonly kind: 'bitcoin' | 'offer' | 'app' | 'web' | 'unknown' };

const DATA = '[02-9ac-hj-np-z]';
/** Longer names come first. */
const INVOICE = new RegExp(`^ln(?:bcrt|bc|tbs|tb)([0-9]*)([munp]?)1${DATA}+$`, 'i');
const INVOICE_START = /^ln(?:bc|tb)[0-9a-z]/i;
const LNURL = new RegExp(`^lnurl1${DATA}+$`, 'i');
const LNURL_START = /^lnurl1/i;
/** LUD-16, and `+`, which some services accept in front of a tag. */
const ADDRESS = /^[a-z0-9._+-]{1,64}@[^@\s\p{Cf}/\\?#]{1,260}$/iu;
const NODE = /^(0[23][0-9a-f]{64})(?:@\S+)?$/i;
/** LUD-17. Some services leave out the slashes. */
const SCHEME = /^(lnurlp|lnurlw|lnurlc|keyauth):(?:\/\/)?([^/].*)$/i;
const BITCOIN = /^(?:bc1|tb1|bcrt1)[02-9ac-hj-np-z]{8,}$|^[13mn2][1-9A-HJ-NP-Za-km-z]{25,34}$/i;

const KIND_OF_SCHEME: Readonly<Record<string, LinkKind>> = { lnurlp: 'pay', lnurlw: 'withdraw', lnurlc: 'channel', keyauth: 'login' };

/** White space and characters that are not seen: mails, chats and web pages add them around texts and wrap long ones. */
const AROUND = /^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu;
const BETWEEN = /[\s\p{Cf}]+/u;

/**
 * Recognizes an invoice, a Lightning address, an LNURL or a link, alone, after `lightning:` or `₿`, or in a `bitcoin:` URI (BIP-21, BIP-321) or
 * a web address (LUD-01). The service and the dashboard use it for everything that names a receiver, so this file imports nothing.
 */
export function readPaymentText(entered: string): PaymentText {
  const text = trimmed(entered);
  if (text === '') return { kind: 'empty' };
  const bare = withoutScheme(text);
  if (/^bitcoin:/i.test(bare)) return readBitcoinUri(bare);
  if (/^https?:/i.test(bare)) return readParameters(bare, { kind: 'web' });
  return readReceiver(bare);
}

/** Returns a text without white space and unseen characters around it. */
export function trimmed(text: string): string {
  return text.replaceAll(AROUND, '');
}

function withoutScheme(text: string): string {
  return trimmed(trimmed(text).replace(/^lightning:(?:\/\/)?/i, ''));
}

function readReceiver(text: string): PaymentText {
  const [, scheme, target] = SCHEME.exec(text) ?? [];
  const linkKind = KIND_OF_SCHEME[scheme?.toLowerCase() ?? ''];
  if (linkKind !== undefined && target !== undefined)
    return LNURL_START.test(target) ? { kind: 'lnurl', text: target, linkKind } : { kind: 'link', text, linkKind, target };
  const parts = text.split(BETWEEN);
  const joined = parts.join('');
  if (INVOICE.test(joined)) return { kind: 'invoice', text: joined };
  if (LNURL.test(joined)) return { kind: 'lnurl', text: joined };
  if (text.split(/[\s\p{Cf},;|]+/u).filter(isReceiver).length > 1) return { kind: 'ambiguous', problem: 'receivers' };
  if (LNURL_START.test(text)) return { kind: 'lnurl', text };
  if (INVOICE_START.test(text)) return { kind: 'invoice', text };
  const node = NODE.exec(text)?.[1];
  if (node !== undefined) return { kind: 'node', text: node.toLowerCase() };
  const address = text.replace(/^₿\s*/u, '');
  if (ADDRESS.test(address)) return { kind: 'address', text: address.toLowerCase(), isBip353: address !== text };
  if (/^nostr\+wallet(?:auth|connect):/i.test(text)) return { kind: 'app' };
  if (/^lno1/i.test(text)) return { kind: 'offer' };
  return { kind: BITCOIN.test(text) ? 'bitcoin' : 'unknown' };
}

function isReceiver(part: string): boolean {
  const bare = withoutScheme(part).replace(/^₿/u, '');
  return INVOICE.test(bare) || LNURL.test(bare) || ADDRESS.test(bare) || SCHEME.test(bare) || /^(?:bitcoin|https?):/i.test(part);
}

/** A URI may name the receiver in several ways. The invoice or LNURL is used, because this service pays nothing else. */
function readBitcoinUri(uri: string): PaymentText {
  const found = readParameters(uri, { kind: 'bitcoin' });
  const parameters = parametersOf(uri);
  const required = parameters.find(([name]) => name.startsWith('req-'));
  if (required) return { kind: 'unsupported', parameter: required[0] };
  if (found.kind !== 'invoice') return found;
  const amounts = new Set(parameters.flatMap(([name, value]) => (name === 'amount' && value !== '' ? [msatOfBitcoin(value)] : [])));
  if (amounts.size > 1 || amounts.has(Number.NaN)) return { kind: 'ambiguous', problem: 'amounts' };
  const [requestedMsat = 0] = amounts;
  if (requestedMsat === 0) return found;
  const invoiceMsat = msatOfInvoice(found.text);
  if (invoiceMsat === undefined) return { ...found, amountMsat: requestedMsat };
  // The URI has whole satoshis.
  return Math.abs(requestedMsat - invoiceMsat) < 1000 ? found : { kind: 'ambiguous', problem: 'amounts' };
}

/** Reads the parameters `lightning`, which must all name the same receiver. */
function readParameters(uri: string, without: PaymentText): PaymentText {
  const values = parametersOf(uri).flatMap(([name, value]) => (name === 'lightning' && value !== '' ? [value] : []));
  const receivers = values.map((value) => readReceiver(withoutScheme(value)));
  const [first, ...others] = receivers;
  if (first === undefined) return without;
  const isSame = others.every((other) => JSON.stringify(other).toLowerCase() === JSON.stringify(first).toLowerCase());
  return isSame ? first : { kind: 'ambiguous', problem: 'receivers' };
}

/** Returns names in lower case, because QR codes in upper case are smaller, and decoded values. */
function parametersOf(uri: string): [name: string, value: string][] {
  const [, query = ''] = /\?([^#]*)/.exec(uri) ?? [];
  return query.split('&').map((parameter) => {
    const [name = '', ...value] = parameter.split('=');
    return [decoded(name).toLowerCase(), decoded(value.join('='))];
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns an amount in bitcoin as millisatoshis; NaN for a text that is none. */
function msatOfBitcoin(text: string): number {
  const [, whole, fraction = ''] = /^(\d{1,8})(?:\.(\d{1,8}))?$/.exec(text) ?? [];
  const amountMsat = Number(whole) * 1e11 + Number(fraction.padEnd(8, '0')) * 1000;
  return Number.isSafeInteger(amountMsat) ? amountMsat : Number.NaN;
}

const MSAT_OF_UNIT: Readonly<Record<string, number>> = { '': 1e11, m: 1e8, u: 1e5, n: 100, p: 0.1 };

/** Returns the amount that an invoice states; undefined if it states none. */
export function msatOfInvoice(text: string): number | undefined {
  const [, digits = '', unit = ''] = INVOICE.exec(text) ?? [];
  return digits === '' ? undefined : Number(digits) * (MSAT_OF_UNIT[unit.toLowerCase()] ?? Number.NaN);
}
