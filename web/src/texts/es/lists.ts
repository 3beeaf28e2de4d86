import type { lists as english } from '../en-lists.ts';
import type { Shape } from '../lookup.ts';

export const lists = {
  linkStatuses: { all: 'Todos', active: 'Activos', ended: 'Terminados' },
  export: 'Exportar',
  newer: 'Más recientes',
  older: 'Anteriores',
  shown: (first, last, total, isCapped) => `${first} – ${last}${total === undefined ? '' : ` de ${isCapped ? 'más de ' : ''}${total}`}`,
} satisfies Shape<typeof english>;
