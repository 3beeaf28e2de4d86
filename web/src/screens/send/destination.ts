/** What a person entered as the destination of a payment, by its form alone. The service decides whether it is valid. */
export type Destination =
  | { readonly kind: 'empty' }
  | { readonly kind: 'invoice'; readonly text: string }
  /** A Lightning address. */
  | { readonly kind: 'address'; readonly text: string }
  /** An LNURL, or a link with a scheme of its own, which states what it is for. */
  | { readonly kind: 'lnurl'; readonly text: string; readonly linkKind: 'pay' | 'withdraw' | 'unknown' }
  /** The public key of a node: a payment without an invoice. */
  | { readonly kind: 'node'; readonly text: string }
  | { readonly kind: 'unusable'; readonly reason: 'bitcoin' | 'offer' | 'login' | 'app' | 'unknown' };

const INVOICE = /^ln(?:bcrt|bc|tbs|tb)[0-9]*[munp]?1[02-9ac-hj-np-z]{50,}$/i;
const ADDRESS = /^[a-z0-9._+-]{1,64}@[^@\s/\\?#]{1,260}$/i;
const NODE = /^(0[23][0-9a-f]{64})(?:@\S+)?$/i;
const LNURL = /^lnurl1[02-9ac-hj-np-z]{10,}$/i;
const SCHEME = /^(lnurlp|lnurlw|lnurlc|keyauth):(?:\/\/)?\S+$/i;
const BITCOIN = /^(?:bc1|tb1|bcrt1)[02-9ac-hj-np-z]{20,}$|^[13mn2][1-9A-HJ-NP-Za-km-z]{25,34}$/i;

/** Recognizes a destination while it is typed or pasted. */
export function recognize(entered: string): Destination {
  const trimmed = entered.trim();
  if (trimmed === '') return { kind: 'empty' };
  if (/^bitcoin:/i.test(trimmed)) return ofBitcoinUri(trimmed);
  // E-mails and chats wrap long texts. Addresses have no spaces.
  const text = trimmed.replaceAll(/\s/g, '').replace(/^lightning:(?:\/\/)?/i, '');
  const fallback = /[?&]lightning=(lnurl1[a-z0-9]+)/i.exec(text)?.[1];
  if (fallback !== undefined) return { kind: 'lnurl', text: fallback, linkKind: 'unknown' };
  const node = NODE.exec(text)?.[1];
  if (node !== undefined) return { kind: 'node', text: node.toLowerCase() };
  if (INVOICE.test(text)) return { kind: 'invoice', text };
  if (LNURL.test(text)) return { kind: 'lnurl', text, linkKind: 'unknown' };
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase();
  if (scheme === 'keyauth') return { kind: 'unusable', reason: 'login' };
  if (scheme !== undefined)
    return { kind: 'lnurl', text, linkKind: scheme === 'lnurlw' ? 'withdraw' : scheme === 'lnurlp' ? 'pay' : 'unknown' };
  if (ADDRESS.test(text) && !/\s/.test(trimmed)) return { kind: 'address', text };
  if (/^nostr\+wallet(?:auth|connect):/i.test(text)) return { kind: 'unusable', reason: 'app' };
  if (/^lno1/i.test(text)) return { kind: 'unusable', reason: 'offer' };
  return { kind: 'unusable', reason: BITCOIN.test(text) ? 'bitcoin' : 'unknown' };
}

/** A bitcoin: URI may contain an invoice (BIP 21). */
function ofBitcoinUri(uri: string): Destination {
  const invoice = /[?&]lightning=([^&]+)/i.exec(uri)?.[1];
  const found = invoice === undefined ? undefined : recognize(invoice);
  return found?.kind === 'invoice' || found?.kind === 'lnurl' ? found : { kind: 'unusable', reason: 'bitcoin' };
}

/** Returns whether a text that was pasted outside a field is meant as a destination. */
export function isDestination(text: string): boolean {
  return text.length < 5000 && recognize(text).kind !== 'empty' && recognize(text).kind !== 'unusable';
}
