import type { amounts as english } from '../en-amounts.ts';
import type { Shape } from '../lookup.ts';

export const amounts = {
  keys: 'Teclado numérico',
  remove: 'Borrar',
  empty: 'Vacío',
} satisfies Shape<typeof english>;
