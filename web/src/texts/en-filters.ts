import { inLanguage } from './texts.ts';

/** The English texts of the filters of transactions. */
export const filterTexts = inLanguage('filters', {
  text: 'Memo, label or hash',
  amountFrom: 'Amount from',
  amountTo: 'Amount to',
  amountReversed: 'The upper amount is smaller than the lower one.',
  lookForAmount: (amount: string) => `Look for an amount of ${amount} sats`,
});
