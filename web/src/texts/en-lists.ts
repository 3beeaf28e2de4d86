import { lookup } from './lookup.ts';
import { inLanguage } from './texts.ts';

/** The English texts about lists with pages. */
export const lists = inLanguage('lists', {
  linkStatuses: lookup({ all: 'All', active: 'Active', ended: 'Ended' }),
  export: 'Export',
  newer: 'Newer',
  older: 'Older',
  shown: (first: string, last: string, total: string | undefined, isCapped: boolean) =>
    `${first} – ${last}${total === undefined ? '' : ` of ${isCapped ? 'more than ' : ''}${total}`}`,
});
