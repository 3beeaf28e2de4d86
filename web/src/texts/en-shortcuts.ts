import { inLanguage } from './texts.ts';

/** The list of shortcuts. Its screen alone loads it. */
export const shortcuts = inLanguage('shortcuts', {
  title: 'Keyboard shortcuts',
  keys: [
    ['Ctrl K', 'Search pages, wallets and actions'],
    ['/', 'Search or filter this page'],
    ['G, then W L C K H E S', 'Wallets, links, connected apps, keys, webhooks, events, settings'],
    ['R S T', 'In a wallet: receive, send, transfer'],
    ['J K', 'Next and previous row'],
    ['Enter', 'Open the row'],
    ['Esc', 'Close'],
    ['?', 'This list'],
  ],
  operatorKeys: ['G, then O', 'Overview of the operator'],
  paste: 'To open Send in a wallet, paste an invoice, an address or a link outside a field.',
} as const);
