import { STORY } from '../examples.ts';
import type { OperationNotes } from '../operations.ts';

const PLAYGROUND = { tag: 'Playground', needs: 'secret_key' } as const;

export const PLAYGROUND_OPERATIONS: Readonly<Record<string, OperationNotes>> = {
  'GET /playground': {
    ...PLAYGROUND,
    id: 'getPlayground',
    summary: 'Read the nodes of the playground',
    answer: 'Playground',
    says: {
      200: {
        nodes: [
          { name: 'hub', pubkey: STORY.ourPubkey },
          { name: 'alice', pubkey: STORY.pubkey },
          { name: 'carol', pubkey: '02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9' },
        ],
      },
    },
  },
  'POST /playground/pay': {
    ...PLAYGROUND,
    id: 'playgroundPay',
    summary: 'Let an outside node pay an invoice of ours',
    answer: 'OutsidePayment',
    body: { payment_request: 'lnbcrt12u1p4szcp7…', from: 'carol' },
    // Carol is behind alice, who asks 1 sat and 0.01 % for the way.
    says: { 200: { node: 'carol', fee_msat: 1120 } },
  },
  'POST /playground/fund': {
    ...PLAYGROUND,
    id: 'playgroundFund',
    needs: 'any_key',
    summary: 'Fund a wallet',
    description: 'An outside node pays an invoice of the wallet. The key needs `wallet_deposit` for it.',
    answer: 'OutsidePayment',
    body: { wallet_id: STORY.wallet, num_satoshis: 5000 },
    says: { 200: { amount_msat: 5_000_000 } },
  },
  'POST /playground/keysend': {
    ...PLAYGROUND,
    id: 'playgroundKeysend',
    summary: 'Let an outside node pay us without an invoice',
    answer: 'OutsidePayment',
    body: { num_satoshis: 100, custom_records: { '696969': STORY.wallet } },
    says: { 200: { amount_msat: 100_000 } },
  },
  'POST /playground/invoice': {
    ...PLAYGROUND,
    id: 'playgroundInvoice',
    summary: 'Let an outside node make an invoice',
    answer: 'OutsideInvoice',
    body: { num_satoshis: 1000, at: 'carol' },
    says: { 200: { payment_request: 'lnbcrt10u1p4szcp7…' } },
  },
  'POST /playground/hold/:hash': {
    ...PLAYGROUND,
    id: 'playgroundHold',
    summary: 'Settle or cancel a hold invoice of an outside node',
    answer: 'ResolvedHold',
    body: { action: 'settle' },
  },
  'GET /playground/payments': {
    ...PLAYGROUND,
    id: 'listPlaygroundPayments',
    summary: 'List what the outside nodes say of their payments',
    answer: 'OutsidePayments',
  },
};
