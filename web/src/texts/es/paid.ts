import type { paid as english } from '../en-paid.ts';
import type { Shape } from '../lookup.ts';

export const paid = {
  received: (amount) => `${amount} sats recibidos`,
} satisfies Shape<typeof english>;
