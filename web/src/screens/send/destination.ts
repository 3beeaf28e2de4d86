import { readPaymentText } from '../../../../src/core/kernel/payment-text.ts';

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
  | { readonly kind: 'unusable'; readonly reason: 'bitcoin' | 'offer' | 'login' | 'app' | 'ambiguous' | 'unknown' };

/** The shortest part of an invoice after its amount. A text that is shorter is not complete. */
const COMPLETE = /1[02-9ac-hj-np-z]{50,}$/i;
const COMPLETE_LNURL = /^lnurl1.{10,}$/i;

/** Recognizes a destination while it is typed or pasted. */
export function recognize(entered: string): Destination {
  const read = readPaymentText(entered);
  switch (read.kind) {
    case 'empty':
    case 'node':
      return read;
    case 'invoice':
      return COMPLETE.test(read.text) ? { kind: 'invoice', text: read.text } : unusable('unknown');
    case 'address':
      return { kind: 'address', text: read.isBip353 ? `₿${read.text}` : read.text };
    case 'lnurl':
    case 'link': {
      if (read.linkKind === 'login') return unusable('login');
      if (read.kind === 'lnurl' && !COMPLETE_LNURL.test(read.text)) return unusable('unknown');
      const linkKind = read.linkKind === 'pay' || read.linkKind === 'withdraw' ? read.linkKind : 'unknown';
      return { kind: 'lnurl', text: read.text, linkKind };
    }
    case 'bitcoin':
    case 'offer':
    case 'app':
    case 'ambiguous':
      return unusable(read.kind);
    default:
      return unusable('unknown');
  }
}

function unusable(reason: Extract<Destination, { kind: 'unusable' }>['reason']): Destination {
  return { kind: 'unusable', reason };
}

/** Returns whether a text that was pasted outside a field is meant as a destination. */
export function isDestination(text: string): boolean {
  return text.length < 5000 && recognize(text).kind !== 'empty' && recognize(text).kind !== 'unusable';
}
