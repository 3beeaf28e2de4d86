import type { PaymentEvidence } from './node.ts';

/** Returns the evidence as one line for people: each fact, whether it holds, and what the node reported. */
export function describeEvidence({ items, provesFailure }: PaymentEvidence): string {
  const facts = items.map(({ fact, holds, detail }) => `${fact} ${holds ? 'Yes' : 'No'} (${detail}).`);
  return [
    ...facts,
    provesFailure ? 'No money can leave the node for this payment.' : 'Money may still leave the node for this payment.',
  ].join(' ');
}
