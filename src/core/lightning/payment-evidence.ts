/** One fact about a pending payment, which the adapter has checked at the node. */
export interface EvidenceItem {
  /** A sentence that is true if `holds`, such as "No channel has an HTLC with this payment hash." */
  readonly fact: string;
  readonly holds: boolean;
  /** What the node reported. */
  readonly detail: string;
}

/** What the node's records show about a payment that does not end. */
export interface PaymentEvidence {
  readonly items: readonly EvidenceItem[];
  /** Whether the facts together prove that no money can leave the node for this payment any more. */
  readonly provesFailure: boolean;
  /** Whether the payment is unfinished and no HTLC of it exists: its amount is part of the node's balance. */
  readonly isWithoutHtlc: boolean;
}

/** Returns the evidence as one line for people: whether each fact is true, and what the node reported. */
export function describeEvidence({ items, provesFailure }: Pick<PaymentEvidence, 'items' | 'provesFailure'>): string {
  const facts = items.map(({ fact, holds, detail }) => {
    const report = detail === '' ? '' : ` (${detail})`;
    return `${holds ? 'True' : 'Not true'}: ${fact.replace(/\.$/, '')}${report}.`;
  });
  return [...facts, `${provesFailure ? 'No money can' : 'Money may still'} leave the node for this payment.`].join(' ');
}
