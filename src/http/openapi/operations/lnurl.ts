import { STORY } from '../examples.ts';
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

const CALLBACK = 'https://wallets.example.com/v1/user/wallet/waklw_ATA7…/lnurl-process';
const MADE = { num_satoshis: 300, memo: 'gift', url: `${CALLBACK}?ott=${STORY.token}&num_satoshis=300`, expires_at: null };

const text = { type: 'string' };
const integer = { type: 'integer' };

const ProcessAnswer = {
  anyOf: [
    {
      type: 'object',
      title: 'What can be withdrawn',
      description: 'Without `pr`: step 1 of LUD-03',
      required: ['tag', 'callback', 'k1', 'defaultDescription', 'minWithdrawable', 'maxWithdrawable'],
      properties: {
        tag: { const: 'withdrawRequest', description: 'What kind of LNURL it is' },
        callback: { ...text, description: 'Where to send `k1` and `pr`' },
        k1: { ...text, description: 'To send back with `pr`' },
        defaultDescription: { ...text, description: 'The memo of the link' },
        minWithdrawable: { ...integer, description: 'Millisatoshis' },
        maxWithdrawable: { ...integer, description: 'Millisatoshis' },
        balanceCheck: { ...text, description: 'Where to ask again later what can be withdrawn (LUD-14)' },
      },
    },
    {
      type: 'object',
      title: 'Accepted',
      description: 'With `pr`: the invoice is being paid',
      required: ['status'],
      properties: { status: { const: 'OK', description: 'It is accepted' } },
    },
    {
      type: 'object',
      title: 'Refused',
      description: 'A refusal, in the form of LNURL',
      required: ['status', 'reason'],
      properties: { status: { const: 'ERROR', description: 'It is refused' }, reason: { ...text, description: 'Why, for people' } },
    },
  ],
};

export const LNURL_OPERATIONS: Readonly<Record<string, OperationNotes>> = {
  'POST /v1/wallet/:key/lnurl/withdraw': {
    ...LINK,
    id: 'createWithdrawLink',
    body: { num_satoshis: 300, memo: 'gift' },
    says: { 201: MADE },
  },
  'GET /v1/wallet/:key/lnurl/withdraw': {
    ...LINK,
    id: 'makeWithdrawLink',
    summary: 'Make a withdraw link by GET',
    description: `Like createWithdrawLink, for clients that know only this form. ${LINK.description}`,
    query: { num_satoshis: 300, memo: 'gift' },
    says: { 200: MADE },
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
    path: { key: 'waklw_ATA7…' },
    query: { ott: STORY.token },
    says: {
      200: {
        tag: 'withdrawRequest',
        callback: `${CALLBACK}?ott=${STORY.token}`,
        k1: '8108e65e6f2933516edd2af9fbbadc1d90c565fe8bf84b204de6eb3c6effe8bc',
        defaultDescription: 'gift',
        minWithdrawable: 1000,
        maxWithdrawable: 300_000,
        balanceCheck: `${CALLBACK}?ott=Qznz1OFjKrV_6ABSVXQZKnD_Th27UaIYyzhB33oV0HU`,
      },
    },
  },
};
