import { STORY } from '../examples.ts';
import type { OperationNotes } from '../operations.ts';
import { CANCELED } from './answers.ts';

export const WALLET_OPERATIONS: Readonly<Record<string, OperationNotes>> = {
  'GET /v1/wallets': {
    id: 'listWallets',
    tag: 'Wallets',
    summary: 'List the wallets of the account',
    description: 'Newest first.',
    needs: 'account',
    answer: 'Wallet',
  },
  'POST /v1/wallet': {
    id: 'createWallet',
    tag: 'Wallets',
    summary: 'Make a wallet',
    description:
      'The answer holds the access keys of the wallet, this once: only their hashes are stored. They have no limits, so the key that asks ' +
      'must have none: 403 for one with a budget or a cap.',
    needs: 'account',
    answer: 'NewWallet',
    body: { user_label: 'alma' },
    says: { 201: { balance: 0, balance_msat: 0, max_payable_msat: 0 } },
  },
  'GET /v1/wallet/:key': {
    id: 'getWallet',
    tag: 'Wallets',
    summary: 'Read a wallet and its balance',
    needs: 'wallet_read',
    answer: 'Wallet',
  },
  'PATCH /v1/wallet/:key': {
    id: 'changeWallet',
    tag: 'Wallets',
    summary: 'Change a wallet',
    description: 'An inactive wallet receives, but sends no money.',
    needs: 'account',
    answer: 'Wallet',
    body: { user_label: 'alma', status: 'active' },
  },
  'GET /v1/wallet/:key/transactions': {
    id: 'listWalletTransactions',
    tag: 'History',
    summary: 'List the transactions of a wallet',
    description:
      'Newest first. With `after` it costs the same however deep; then there is no total. Settled ones are in the order in which they were ' +
      'booked, the other lists in the order in which things began; their totals and pages stop at 10,000. `payment_hash` is found directly. ' +
      '`label` and `pass_through` look through at most 20,000 rows per request; with `after`, the next request continues there. ' +
      'An item of `status=open` shows the requested amount, which the balance does not contain; once it is paid, the settled transaction has ' +
      'an id of its own and the same `lnTx.id`.',
    needs: 'wallet_tx_read',
    answer: 'WalletTransaction',
  },
  'GET /v1/wallet-transactions': {
    id: 'listTransactions',
    tag: 'History',
    summary: 'List the transactions of all wallets of the account',
    description: 'Like the list of a wallet. It looks at the newest 200,000 transfers of the service; the lists of single wallets go on.',
    needs: 'account',
    answer: 'WalletTransaction',
    refusals: [404],
  },
  'GET /v1/wallet-transactions/:id': {
    id: 'getTransaction',
    tag: 'History',
    summary: 'Read a wallet transaction',
    path: { id: STORY.walletTransaction },
    needs: 'account',
    answer: 'WalletTransaction',
  },
  'DELETE /v1/lntx/:id': {
    id: 'cancelInvoice',
    tag: 'Money',
    summary: 'Cancel an open invoice',
    description: 'At the node first, so that nobody can pay it any more. 400 `invoice_paid` when somebody has, or is about to.',
    needs: 'wallet_deposit',
    answer: 'LightningTransaction',
    says: { 200: CANCELED },
  },
  'GET /v1/wallet/:key/statement': {
    id: 'getStatement',
    tag: 'History',
    summary: 'Read the statement of a wallet as CSV',
    description:
      'Oldest first, for a period. The columns: time, id, type, label, msat, sat, balance_after_msat, payment_hash, counterparty (the other wallet of a transfer, the node that a payment went to).',
    needs: 'wallet_tx_read',
    media: 'text/csv',
    headers: ['Content-Disposition'],
  },
  'GET /v1/lntx/:id': {
    id: 'getLightningTransaction',
    tag: 'History',
    summary: 'Read a Lightning transaction',
    description:
      'An invoice or an outgoing payment, by its id or its payment hash. Poll it after a 202 until `settled` is 1 or -1. ' +
      'A public API key sees it without preimage, passThru and custom records.',
    needs: 'any_key',
    answer: 'LightningTransactionDetails',
  },
};
