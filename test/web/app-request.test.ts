import { expect, it } from 'vitest';
import { answerOf, readAppRequest } from '../../web/src/screens/connections/app-request.ts';

const PUBKEY = 'c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5';
const around = {
  referrer: 'https://shop.example/',
  hasOpener: true,
  ownOrigin: 'https://wallet.example',
  nowSeconds: 1_800_000_000,
};

function read(parameters: Record<string, string>, changes: Partial<typeof around> = {}) {
  const query = new URLSearchParams({ pubkey: PUBKEY, return_to: 'https://shop.example/back?x=1', ...parameters });
  return readAppRequest(query, { ...around, ...changes });
}

it('reads all parameters that a site sends', () => {
  const request = read({
    name: ' Shop ',
    budget_renewal: 'weekly',
    max_amount: '21999',
    expires_at: '1800000001',
    request_methods: 'pay_invoice get_balance sign_message get_info constructor',
    notification_types: 'payment_sent',
    isolated: 'true',
    metadata: '{"app_store_app_id":"shop"}',
  });
  expect(request).toEqual({
    name: 'Shop',
    pubkey: PUBKEY,
    origin: 'https://shop.example',
    permissions: ['wallet_read', 'wallet_tx_read', 'wallet_withdraw'],
    unsupported: ['sign_message', 'constructor'],
    budgetSats: 21,
    period: 'week',
    expiresAt: 1_800_000_001,
    isIsolated: true,
  });
});

it('maps each renewal of the SDK to a budget period, and refuses a yearly one', () => {
  const periodOf = (budget_renewal: string) => {
    const request = read({ budget_renewal });
    return typeof request === 'string' ? request : request.period;
  };
  expect(['never', 'daily', 'weekly', 'monthly', 'yearly', 'hourly', 'toString'].map(periodOf)).toEqual([
    ...['ever', 'day', 'week', 'month', 'yearly', 'renewal', 'renewal'],
  ]);
});

it.each<[string, Record<string, string>, string]>([
  ['no public key', { pubkey: '' }, 'pubkey'],
  ['a public key of another form', { pubkey: `${PUBKEY}00` }, 'pubkey'],
  ['a script as its return address', { return_to: 'javascript:alert(1)' }, 'returnTo'],
  ['a page of data as its return address', { return_to: 'data:text/html,hello' }, 'returnTo'],
  ['a blob as its return address', { return_to: 'blob:https://shop.example/1' }, 'returnTo'],
  ['a program as its return address', { return_to: 'shop://back' }, 'returnTo'],
  ['a path as its return address', { return_to: '/wallets' }, 'returnTo'],
  ['an amount below one sat', { max_amount: '999' }, 'amount'],
  ['an amount that is no number', { max_amount: '1e9' }, 'amount'],
  ['a negative amount', { max_amount: '-1000' }, 'amount'],
  ['a time that is over', { expires_at: '1800000000' }, 'expiry'],
  ['a time that is no number', { expires_at: 'tomorrow' }, 'expiry'],
])('refuses a request with %s', (_, parameters, problem) => {
  expect(read(parameters)).toBe(problem);
});

it.each<[string, Partial<typeof around>, string]>([
  ['no page has opened', { hasOpener: false }, 'notOpened'],
  ['no page has opened and no page led to', { hasOpener: false, referrer: '' }, 'notOpened'],
  ['its opener hides its address', { referrer: '' }, 'notOpened'],
  ['this service itself has opened', { referrer: 'https://wallet.example/wallets' }, 'notOpened'],
  ['a program has opened', { referrer: 'android-app://shop.example/' }, 'notOpened'],
  ['a page of another site has opened', { referrer: 'https://evil.example/' }, 'returnTo'],
  ['a page of another host of the site has opened', { referrer: 'https://www.shop.example/' }, 'returnTo'],
  ['a page without encryption has opened', { referrer: 'http://shop.example/' }, 'returnTo'],
])('refuses a request that %s', (_, changes, problem) => {
  expect(read({}, changes)).toBe(problem);
});

it('is for the site of the opener if it has no return address', () => {
  expect(read({ return_to: '' }, { referrer: 'https://evil.example/' })).toMatchObject({ origin: 'https://evil.example' });
});

it('answers with relays, public key and address, and with no secret', () => {
  const uri = 'nostr+walletconnect://ab?relay=wss%3A%2F%2Fa.example&relay=wss%3A%2F%2Fb.example&lud16=till%40cafe.example';
  const answer = answerOf({ relays: ['wss://a.example', 'wss://b.example'], service_pubkey: 'ab', uri });
  expect(answer).toEqual({
    type: 'nwc:success',
    relayUrls: ['wss://a.example', 'wss://b.example'],
    relayUrl: 'wss://a.example',
    walletPubkey: 'ab',
    lud16: 'till@cafe.example',
  });
});
