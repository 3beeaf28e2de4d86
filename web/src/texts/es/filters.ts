import type { filterTexts as english } from '../en-filters.ts';
import type { Shape } from '../lookup.ts';

export const filters = {
  text: 'Concepto, etiqueta o hash',
  amountFrom: 'Importe desde',
  amountTo: 'Importe hasta',
  amountReversed: 'Este importe es menor que el anterior.',
  lookForAmount: (amount) => `Buscar un importe de ${amount} sats`,
} satisfies Shape<typeof english>;
