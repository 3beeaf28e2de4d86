import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FakeNetwork } from '../../devnet/fake/fake.ts';
import type { PaymentScript } from '../../devnet/fake/script.ts';
import { sendUnmatched } from '../operator/unmatched-money.ts';
import type { Client, Json } from './client.ts';

/*
 * A café that uses Satchel: wallets, six weeks of payments, links, keys, webhooks and accounts, created through the API. For tests that
 * visit every screen with data, and for `npm run screenshots`. The service needs OUTBOUND_ALLOW=127.0.0.1 and PAYMENT_WAIT_SECONDS=1.
 */

export interface BusinessOptions {
  readonly client: Client;
  /** The fake network of the service. */
  readonly net: FakeNetwork;
  /** Returns the text to use in place of a plain one. By default the plain text. */
  readonly text?: (plain: string) => string;
  /** Sets the clock of the service to a time in the past, before each payment. By default everything happens now. */
  readonly setTime?: (daysAgo: number, hour: number) => void;
  /** The domain of the Lightning address, one of ADDRESS_DOMAINS. By default that of the service. */
  readonly addressDomain?: string;
}

/** The ids of what was created, for addresses of screens. */
export interface Business {
  readonly wallet: string;
  readonly emptyWallet: string;
  readonly settledPayment: string;
  readonly failedPayment: string;
  readonly pendingPayment: string;
  readonly openInvoice: string;
  readonly paidInvoice: string;
  readonly payLink: string;
  readonly withdrawLink: string;
  readonly webhook: string;
  readonly payout: string;
  /** A key of the account, with payments. */
  readonly key: string;
  readonly member: string;
  /** Stops the receiver of webhooks. */
  close(): Promise<void>;
}

interface Wallets extends Readonly<Record<'till' | 'shop' | 'mara' | 'tips' | 'savings' | 'empty', string>> {
  /** The key that pay links of the tips contain. */
  readonly tipsKey: string;
}

/** What people bought, in the order in which the till sells it. */
const SALES: readonly (readonly [string, number])[] = [
  ['Flat white', 4_200],
  ['Two espressos', 5_600],
  ['Cheesecake', 5_100],
  ['Breakfast for two', 24_800],
  ['Beans, 250 g', 12_900],
  ['Cappuccino to go', 4_400],
  ['Table 7', 31_250],
  ['Tea and a croissant', 7_300],
  ['Catering, deposit', 180_000],
  ['Cold brew', 5_200],
];

const BILLS: readonly (readonly [string, number])[] = [
  ['Roastery, 6 kg', 96_400],
  ['Milk and oats', 38_700],
  ['Bakery', 27_150],
];

const DAYS = 42;

/** Creates the business. Payments that are still open stay open. */
export async function fillBusiness(options: BusinessOptions): Promise<Business> {
  const { text = (plain) => plain, setTime = () => undefined } = options;
  const desk: Desk = { ...options, text, setTime };
  const receiver = await startReceiver(text);
  setTime(DAYS, 8);
  const wallets = await openWallets(desk);
  const links = await createLinks(desk, wallets);
  const webhook = await createWebhooks(desk, receiver.url, wallets);
  const { id: key, key: shopKey } = await createKeys(desk, wallets);
  const { id: member } = await desk.client.post('/v1/accounts', {
    invite: true,
    email: 'jonas@example.com',
    max_wallets: 5,
    reason: text('Delivery'),
  });
  await trade(desk, wallets);
  const open = await leaveOpen(desk, wallets, shopKey);
  // It moves nothing: the balance does not cover it.
  const lines = [{ destination: wallets.savings, num_satoshis: 1_000_000_000, memo: text('Wages') }];
  const path = `/v1/wallet/${wallets.till}/payouts`;
  const payout = await desk.client.request('POST', path, { key: desk.client.secretKey, json: { user_label: text('Wages'), lines } });
  return {
    wallet: wallets.till,
    emptyWallet: wallets.empty,
    ...links,
    ...open,
    webhook,
    member,
    payout: payout.body.id,
    key,
    close: receiver.close,
  };
}

type Desk = BusinessOptions & Required<Pick<BusinessOptions, 'text' | 'setTime'>>;

async function openWallets({ client, text }: Desk): Promise<Wallets> {
  const create = (label: string) => client.post('/v1/wallet', { user_label: text(label) });
  const open = async (label: string): Promise<string> => (await create(label)).id;
  const { id: empty } = await client.post('/v1/wallet', {});
  const savings = await open('Savings');
  const tips = await create('Tips');
  const mara = await open('Mara');
  const shop = await open('Online shop');
  return {
    till: await open('Till'),
    shop,
    mara,
    tips: tips.id,
    savings,
    empty,
    tipsKey: tips.access_keys['Wallet LNURL Pay'][0],
  };
}

/** Another node pays an invoice of the wallet. @returns the id of the invoice */
async function sell({ client, text }: Desk, wallet: string, [memo, sats]: readonly [string, number], order?: string): Promise<string> {
  const passThru = order === undefined ? {} : { passThru: { order: text(order) } };
  const invoice = await client.post(`/v1/wallet/${wallet}/invoice`, { num_satoshis: sats, memo: text(memo), ...passThru });
  await client.post('/playground/pay', { payment_request: invoice.payment_request, from: sats % 3 === 0 ? 'carol' : 'alice' });
  return invoice.id;
}

/** The wallet pays an invoice of another node. @returns the id of the payment */
async function pay(
  { client, net, text }: Desk,
  wallet: string,
  [memo, sats]: readonly [string, number],
  script: PaymentScript = {},
): Promise<string> {
  const { paymentRequest } = net.outside.invoice({ amountMsat: sats * 1000, memo: text(memo), at: 'carol', script, expirySeconds: 86_400 });
  try {
    const payment = await client.post(`/v1/wallet/${wallet}/withdraw`, { payment_request: paymentRequest, passThru: { bill: text(memo) } });
    return payment.lnTx.id;
  } catch (error) {
    if (script.fail === undefined) throw error;
    const [newest] = await client.get(`/v1/wallet/${wallet}/transactions?status=failed&per-page=1`);
    return newest.lnTx.id;
  }
}

/** A program of the shop pays a supplier, and the payment counts in the budget of its key. */
async function payWithKey(
  { client, net, text }: Desk,
  wallet: string,
  key: string,
  sats: number,
  script: PaymentScript = {},
): Promise<void> {
  const { paymentRequest } = net.outside.invoice({ amountMsat: sats * 1000, memo: text('Parcel service'), script, expirySeconds: 86_400 });
  await client.request('POST', `/v1/wallet/${wallet}/withdraw`, { key, json: { payment_request: paymentRequest } });
}

async function trade(desk: Desk, wallets: Wallets): Promise<void> {
  const { client, text, setTime } = desk;
  for (let daysAgo = DAYS - 1; daysAgo >= 1; daysAgo--) {
    const day = DAYS - daysAgo;
    setTime(daysAgo, 9);
    for (const [i, sale] of [day % 10, (day * 3 + 1) % 10].entries()) {
      setTime(daysAgo, 9 + 4 * i);
      await sell(desk, wallets.till, SALES[sale] ?? ['Coffee', 4_000], `2026-${day}-${i + 1}`);
    }
    if (day % 4 === 0) await sell(desk, wallets.shop, ['Gift box', 42_000], `web-${day}`);
    if (day % 6 === 2) {
      setTime(daysAgo, 17);
      await pay(desk, wallets.till, BILLS[day % 3] ?? ['Bill', 10_000]);
    }
    if (day % 14 === 0) {
      setTime(daysAgo, 18);
      const transfer = { dest_wallet_id: wallets.mara, num_satoshis: 60_000, memo: text('Wages') };
      await client.post(`/v1/wallet/${wallets.till}/transfer`, transfer);
      await client.post(`/v1/wallet/${wallets.till}/transfer`, {
        dest_wallet_id: wallets.savings,
        num_satoshis: 25_000,
        memo: text('Rent, later'),
      });
    }
    if (day % 9 === 0) {
      const { unreachable_pubkey: _, nodes } = await client.get('/playground');
      const alice = nodes.find(({ name }: Json) => name === 'alice').pubkey;
      await client.post(`/v1/wallet/${wallets.tips}/transfer`, { dest_wallet_id: wallets.mara, num_satoshis: 210 }).catch(() => undefined);
      await client
        .post(`/v1/wallet/${wallets.mara}/keysend`, {
          dest_pubkey: alice,
          num_satoshis: 150,
          custom_records: { '7629169': text('Thanks') },
        })
        .catch(() => undefined);
    }
  }
}

/** The last day, with what is failed, pending and open. */
async function leaveOpen(desk: Desk, wallets: Wallets, shopKey: string) {
  const { client, net, text, setTime } = desk;
  setTime(1, 18.2);
  const pendingPayment = await pay(desk, wallets.till, ['Electrician', 64_000], { hold: true });
  sendUnmatched(net, 21_000_000);
  setTime(0, 8.1);
  const settledPayment = await pay(desk, wallets.till, ['Bakery', 26_900]);
  setTime(0, 9.4);
  const failedPayment = await pay(desk, wallets.till, ['Flowers', 18_000], { fail: 'NO_ROUTE' });
  setTime(0, 10.7);
  const paidInvoice = await sell(desk, wallets.till, ['Breakfast for two', 24_800], 'table 4');
  await sell(desk, wallets.shop, ['Gift box', 42_000], 'web-17');
  setTime(0, 13.9);
  await payWithKey(desk, wallets.shop, shopKey, 61_300);
  await payWithKey(desk, wallets.shop, shopKey, 9_800, { hold: true });
  setTime(0, 14.45);
  const open = { num_satoshis: 31_250, memo: text('Table 7'), expiry: 86_400, passThru: { order: text('table 7') } };
  const { id: openInvoice } = await client.post(`/v1/wallet/${wallets.till}/invoice`, open);
  return { pendingPayment, settledPayment, failedPayment, paidInvoice, openInvoice };
}

async function createLinks(desk: Desk, wallets: Wallets): Promise<Pick<Business, 'payLink' | 'withdrawLink'>> {
  const { client, text, addressDomain } = desk;
  const { id: payLink } = await client.post(`/v1/wallet/${wallets.tips}/lnurlp`, {
    lnurlp_short_desc: text('Tips for the kitchen'),
    lnurlp_long_desc: text('Everything goes to the people who cook.'),
    lnurlp_identifier: addressDomain === undefined ? `kitchen-${randomUUID().slice(0, 4)}` : 'kitchen',
    ...(addressDomain !== undefined && { lnurlp_domain: addressDomain }),
    lnurlp_successAction: { tag: 'message', message: text('Thank you').slice(0, 144) },
    user_label: text('Tip jar'),
  });
  for (const [sats, comment] of [
    [2_100, 'Great coffee'],
    [500, ''],
    [5_000, 'For the whole team'],
  ] as const)
    await tip(desk, wallets.tipsKey, payLink, sats, comment);
  await client.post(`/v1/wallet/${wallets.shop}/lnurlp`, {
    lnurlp_short_desc: text('Coffee by post'),
    lnurlp_minSendable_msat: 42_000_000,
    lnurlp_maxSendable_msat: 42_000_000,
  });
  await sell(desk, wallets.mara, ['Opening balance', 120_000]);
  const gift = { num_satoshis: 5_000, uses: 20, memo: text('A coffee on us'), user_label: text('Opening party'), expiry: 8_640_000 };
  const { id: withdrawLink } = await client.post(`/v1/wallet/${wallets.mara}/lnurl/withdraw`, gift);
  await client.post(`/v1/wallet/${wallets.mara}/lnurl/withdraw-static`, {
    num_satoshis: 1_000,
    daily_limit_msat: 20_000_000,
    memo: text('Staff drinks'),
  });
  return { payLink, withdrawLink };
}

/** A payer's wallet pays a pay link, with a comment. */
async function tip({ client, text }: Desk, key: string, link: string, sats: number, comment: string): Promise<void> {
  const more = comment === '' ? '' : `&comment=${encodeURIComponent(text(comment))}`;
  const { pr } = await client.get(`/v1/wallet/${key}/lnurlp/${link}?amount=${sats * 1000}${more}`);
  await client.post('/playground/pay', { payment_request: pr });
}

/** @returns the key of the online shop */
async function createKeys({ client, text }: Desk, wallets: Wallets): Promise<{ readonly id: string; readonly key: string }> {
  const shop = await client.post('/v1/keys', {
    kind: 'secret_api',
    user_label: text('Online shop'),
    budget_msat: 500_000_000,
    budget_period: 'day',
    max_payment_msat: 100_000_000,
  });
  const { id } = await client.post('/v1/keys', { kind: 'secret_api', user_label: text('Accountant, export'), expiry: 7_776_000 });
  await client.post(`/v1/wallet/${wallets.till}/keys`, {
    kind: 'wallet_admin',
    user_label: text('Card terminal'),
    max_payment_msat: 50_000_000,
  });
  await client.post(`/v1/wallet/${wallets.till}/keys`, { kind: 'wallet_invoice', user_label: text('Menu on the tables') });
  await client.post(`/v1/wallet/${wallets.till}/connections`, {
    user_label: text('Alby Go on my phone'),
    budget_msat: 100_000_000,
    budget_period: 'month',
    max_payment_msat: 20_000_000,
  });
  await client.post(`/v1/wallet/${wallets.till}/connections`, {
    user_label: text('Shop plugin'),
    permissions: ['wallet_deposit', 'wallet_tx_read'],
    expiry: 31_536_000,
  });
  await client.post(`/v1/keys/${id}/rotate`, { overlap_seconds: 2_592_000 });
  return shop;
}

/** One webhook whose receiver accepts and one whose receiver fails. @returns the id of the second */
async function createWebhooks({ client, text }: Desk, receiver: string, wallets: Wallets): Promise<string> {
  await client.post('/v1/webhooks', { url: `${receiver}/ok`, user_label: text('Till display'), wallet_id: wallets.till });
  const failing = {
    url: `${receiver}/fails`,
    user_label: text('Bookkeeping'),
    event_types: ['wallet_receive', 'wallet_send_failure', 'webhook_test'],
  };
  const { id } = await client.post('/v1/webhooks', failing);
  await client.post(`/v1/webhooks/${id}/test`);
  return id;
}

async function startReceiver(text: Desk['text']): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((request, response) => {
    request.resume();
    if (request.url === '/ok') return response.end();
    return response.writeHead(503, '<img src=x onerror=injected()>').end(text('closed for inventory'));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
