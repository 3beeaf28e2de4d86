import type { filterTexts as english } from '../en-filters.ts';
import type { Shape } from '../lookup.ts';

export const filters = {
  text: 'Notiz, Bezeichnung oder Hash',
  amountFrom: 'Betrag von',
  amountTo: 'Betrag bis',
  amountReversed: 'Dieser Betrag ist kleiner als der davor.',
  lookForAmount: (amount) => `Nach einem Betrag von ${amount} sats suchen`,
} satisfies Shape<typeof english>;
