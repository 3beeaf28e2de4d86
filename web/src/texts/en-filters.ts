import { inLanguage } from './texts.ts';

/** The English texts of the filters of transactions. */
export const filterTexts = inLanguage('filters', {
  text: 'Memo, label or hash',
  amountFrom: 'Amount from',
  amountTo: 'Amount to',
  amountReversed: '“Amount to” must not be less than “Amount from”.',
  lookForAmount: (amount: string) => `Look for an amount of ${amount} sats`,
});
