import type { OperationNotes } from '../operations.ts';

const PLAYGROUND = { tag: 'Playground', needs: 'secret_key' } as const;

export const PLAYGROUND_OPERATIONS: Readonly<Record<string, OperationNotes>> = {
  'GET /playground': { ...PLAYGROUND, id: 'getPlayground', summary: 'Read the nodes of the playground', answer: 'Playground' },
  'POST /playground/pay': {
    ...PLAYGROUND,
    id: 'playgroundPay',
    summary: 'Let an outside node pay an invoice of ours',
    answer: 'OutsidePayment',
    body: { payment_request: 'lnbcrt12u1p4szcp7…', from: 'carol' },
  },
  'POST /playground/fund': {
    ...PLAYGROUND,
    id: 'playgroundFund',
    needs: 'any_key',
    summary: 'Fund a wallet',
    description: 'An outside node pays an invoice of the wallet. The key needs `wallet_deposit` for it.',
    answer: 'OutsidePayment',
    body: { wallet_id: 'wal_0Vbb5dZr00f6iF4JgK02B2', num_satoshis: 5000 },
  },
  'POST /playground/keysend': {
    ...PLAYGROUND,
    id: 'playgroundKeysend',
    summary: 'Let an outside node pay us without an invoice',
    answer: 'OutsidePayment',
    body: { num_satoshis: 100, custom_records: { '696969': 'wal_0Vbb5dZr00f6iF4JgK02B2' } },
  },
  'POST /playground/invoice': {
    ...PLAYGROUND,
    id: 'playgroundInvoice',
    summary: 'Let an outside node make an invoice',
    answer: 'OutsideInvoice',
    body: { num_satoshis: 1000, at: 'carol' },
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
