import type { filterTexts as english } from '../en-filters.ts';
import type { Shape } from '../lookup.ts';

export const filters = {
  text: 'Notiz, Bezeichnung oder Hash',
  amountFrom: 'Betrag von',
  amountTo: 'Betrag bis',
  amountReversed: '„Betrag bis“ darf nicht kleiner sein als „Betrag von“.',
  lookForAmount: (amount) => `Nach einem Betrag von ${amount} sats suchen`,
} satisfies Shape<typeof english>;
