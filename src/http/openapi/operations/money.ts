import { STORY } from '../examples.ts';
import type { OperationNotes } from '../operations.ts';
import { KEYSEND, KEYSEND_BEGUN, OPEN, TRANSFER, WITHDRAWAL, WITHDRAWAL_BEGUN } from './answers.ts';

const OUTCOME =
  '201: it is paid. 202: it is under way or its outcome is unclear; the money is held, and `GET /v1/lntx/{id}` of its `lnTx` tells the end. ' +
  '400 with `payment_failed`: it failed for good, and nothing was or will be paid.';

export const MONEY_OPERATIONS: Readonly<Record<string, OperationNotes>> = {
  'POST /v1/wallet/:key/invoice': {
    id: 'createInvoice',
    tag: 'Money',
    summary: 'Make an invoice',
    description: 'A BOLT11 invoice whose payment is credited to the wallet. Without `num_satoshis` the payer chooses the amount.',
    needs: 'wallet_deposit',
    answer: 'LightningTransaction',
    body: { num_satoshis: 1200, memo: 'tea', passThru: { order: '17' } },
    says: { 201: OPEN },
  },
  'POST /v1/wallet/:key/withdraw': {
    id: 'withdraw',
    tag: 'Money',
    summary: 'Pay an invoice',
    description: `Pays a BOLT11 invoice. Paying the same invoice again from the same wallet answers with the first payment. ${OUTCOME}`,
    needs: 'wallet_withdraw',
    answer: 'Payment',
    body: { payment_request: 'lnbcrt10u1p4szcp7…', fee_limit_msat: 50_000 },
    says: { 201: WITHDRAWAL, 202: WITHDRAWAL_BEGUN },
    pays: true,
  },
  'POST /v1/wallet/:key/keysend': {
    id: 'keysend',
    tag: 'Money',
    summary: 'Pay a node without an invoice',
    description: OUTCOME,
    needs: 'wallet_withdraw',
    answer: 'Payment',
    body: {
      dest_pubkey: STORY.pubkey,
      num_satoshis: 100,
      custom_records: { '7629169': 'hello' },
    },
    says: { 201: KEYSEND, 202: KEYSEND_BEGUN },
    pays: true,
  },
  'POST /v1/wallet/:key/transfer': {
    id: 'transfer',
    tag: 'Money',
    summary: 'Move money to another wallet of the account',
    description:
      'Costs nothing; both sides move or neither. Both rows name the two wallets and `lnPayParams` in their `passThru`. ' +
      'A key of one wallet sees only the `id` of the other wallet.',
    needs: 'wallet_transfer',
    answer: 'Transfer',
    body: { dest_wallet_id: STORY.otherWallet, num_satoshis: 500, memo: 'rent' },
    says: { 201: TRANSFER },
  },
};
