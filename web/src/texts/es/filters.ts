import type { filterTexts as english } from '../en-filters.ts';
import type { Shape } from '../lookup.ts';

export const filters = {
  text: 'Concepto, etiqueta o hash',
  amountFrom: 'Importe desde',
  amountTo: 'Importe hasta',
  amountReversed: '«Importe hasta» no puede ser menor que «Importe desde».',
  lookForAmount: (amount) => `Buscar un importe de ${amount} sats`,
} satisfies Shape<typeof english>;
