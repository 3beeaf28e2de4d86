import type { lists as english } from '../en-lists.ts';
import type { Shape } from '../lookup.ts';

export const lists = {
  linkStatuses: { all: 'Alle', active: 'Aktiv', ended: 'Beendet' },
  export: 'Exportieren',
  newer: 'Neuere',
  older: 'Ältere',
  shown: (first, last, total, isCapped) => `${first} – ${last}${total === undefined ? '' : ` von ${isCapped ? 'mehr als ' : ''}${total}`}`,
} satisfies Shape<typeof english>;
