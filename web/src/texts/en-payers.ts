import { inLanguage } from './texts.ts';

/** The English texts about the pages for payers. The screen of links loads them, not the start. */
export const payers = inLanguage('payers', {
  page: 'Page',
  openPage: 'Open the page for payers',
  button: 'Button for other sites',
  buttonText: 'Pay with Lightning',
  buttonHint: 'A link to the page for payers. On sites that the operator lists, it opens a dialog.',
  copyCode: 'Copy code',
});
