import { lookup } from './lookup.ts';
import { inLanguage } from './texts.ts';

/** The English texts about the figures of links, and the pages for payers. The screen of links loads them, not the start. */
export const payers = inLanguage('payers', {
  page: 'Page',
  openPage: 'Open the page for payers',
  button: 'Button for other sites',
  buttonText: 'Pay with Lightning',
  buttonHint: 'A link to the page for payers. On sites that the operator lists, it opens a dialog.',
  copyCode: 'Copy code',
  statuses: lookup({ all: 'All', active: 'Active', inactive: 'Inactive' }),
  payments: 'Payments',
  paymentsOf: (count: string) => `${count} ${count === '1' ? 'payment' : 'payments'}`,
  lastUse: 'Last use',
  never: 'never',
  received: 'Received',
  receivedSats: 'Received, sats',
  anyAmount: 'any',
  noneYet: 'none yet',
  receivedBy: (links: string) => `Received by ${links === '1' ? 'the link' : `all ${links} links`} of this list:`,
  paidOutBy: (links: string) => `Paid out by ${links === '1' ? 'the link' : `all ${links} links`} of this list:`,
  noneTitle: 'No link matches the filter',
  none: 'Choose another status or all wallets.',
});
