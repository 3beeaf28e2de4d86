import type { OperationNotes } from '../operations.ts';

const LINK = {
  tag: 'LNURL',
  summary: 'Make a withdraw link',
  description:
    'Whoever has the link can withdraw from the wallet, up to `num_satoshis` (the balance, unless given) and as often as `uses` says. ' +
    'The link holds no money: what it can withdraw is never more than the balance.',
  needs: 'wallet_withdraw',
  answer: 'WithdrawLink',
} as const;

const text = { type: 'string' };
const integer = { type: 'integer' };

const ProcessAnswer = {
  anyOf: [
    {
      type: 'object',
      description: 'LUD-03, step 1',
      required: ['tag', 'callback', 'k1', 'defaultDescription', 'minWithdrawable', 'maxWithdrawable'],
      properties: {
        tag: { const: 'withdrawRequest' },
        callback: text,
        k1: text,
        defaultDescription: text,
        minWithdrawable: { ...integer, description: 'Millisatoshis' },
        maxWithdrawable: { ...integer, description: 'Millisatoshis' },
        balanceCheck: { ...text, description: 'LUD-14' },
      },
    },
    {
      type: 'object',
      description: 'The invoice is being paid',
      required: ['status'],
      properties: { status: { const: 'OK' } },
    },
    {
      type: 'object',
      description: 'A refusal, in the form of LNURL',
      required: ['status', 'reason'],
      properties: { status: { const: 'ERROR' }, reason: text },
    },
  ],
};

export const LNURL_OPERATIONS: Readonly<Record<string, OperationNotes>> = {
  'POST /v1/wallet/:key/lnurl/withdraw': { ...LINK, id: 'createWithdrawLink', body: { num_satoshis: 300, memo: 'gift' } },
  'GET /v1/wallet/:key/lnurl/withdraw': {
    ...LINK,
    id: 'makeWithdrawLink',
    summary: 'Make a withdraw link by GET',
    description: `Like createWithdrawLink, for clients that know only this form. ${LINK.description}`,
    query: { num_satoshis: 300 },
  },
  'GET /v1/wallet/:key/lnurl-process': {
    id: 'processWithdrawLink',
    tag: 'LNURL',
    summary: 'Use a withdraw link',
    description:
      "The link's own address (LUD-03), called by the wallet of whoever withdraws; the path names the wallet by its public `waklw_` key. " +
      'Without `pr` it answers what can be withdrawn; with `pr` it pays that invoice. Every refusal is HTTP 200 in the form of LNURL.',
    needs: 'nothing',
    schema: ProcessAnswer,
    query: { ott: 'SVhMK3qY5tZ8' },
  },
};
