import type { amounts as english } from '../en-amounts.ts';
import type { Shape } from '../lookup.ts';

export const amounts = {
  keys: 'Ziffernblock',
  remove: 'Löschen',
  empty: 'Leer',
} satisfies Shape<typeof english>;
