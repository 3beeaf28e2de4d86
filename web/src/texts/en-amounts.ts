import { inLanguage } from './texts.ts';

/** The English texts of the keys for amounts. The screens with amounts load them, not the start. */
export const amounts = inLanguage('amounts', {
  keys: 'Number pad',
  remove: 'Delete',
  empty: 'Empty',
});
