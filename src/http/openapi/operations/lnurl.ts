import { STORY } from '../examples.ts';
import type { OperationNotes } from '../operations.ts';

const LINK = {
  tag: 'LNURL',
  summary: 'Make a withdraw link',
  description:
    'The holder of the link can withdraw from the wallet, up to `num_satoshis` (the balance, unless given) and as often as `uses` says. ' +
    'The link holds no money. It offers at most what leaves `fee_limit_msat` of the balance for routing.',
  needs: 'wallet_withdraw',
  answer: 'WithdrawLink',
} as const;

const CALLBACK = 'https://wallets.example.com/v1/user/wallet/waklw_ATA7…/lnurl-process';
const MADE = {
  num_satoshis: 300,
  fee_limit_msat: 3000,
  memo: 'gift',
  url: `${CALLBACK}?ott=${STORY.token}&num_satoshis=300`,
  expires_at: null,
};

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
        callback: { ...text, description: 'The address to send `k1` and `pr` to' },
        k1: { ...text, description: 'To send back with `pr`' },
        defaultDescription: { ...text, description: 'The memo of the link' },
        minWithdrawable: { ...integer, description: 'Millisatoshis' },
        maxWithdrawable: { ...integer, description: 'Millisatoshis' },
        balanceCheck: {
          ...text,
          description: 'The address to read later what can be withdrawn (LUD-14). Absent when the request had no `ott`',
        },
      },
    },
    {
      type: 'object',
      title: 'Accepted',
      description: 'With `pr`: the invoice is being paid, or this link has paid it',
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
      "The link's own address (LUD-03), called by the paying wallet. The path names the link's wallet by its public `waklw_` key; `ott`, or " +
      '`k1` when there is no `ott`, identifies the link. Without `pr` it returns what can be withdrawn. With `pr` it pays that invoice; ' +
      'the same `pr` again returns OK and pays nothing more. Every refusal is HTTP 200 in the form of LNURL.',
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
