import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import { claimAll } from '../lnurl/claiming-wallet.ts';
import type { FakeNodeApp } from '../support/app.ts';
import type { HttpResponse, Json, TestWallet } from '../support/client.ts';
import { type NwcApp, openApp } from '../support/nwc.ts';

/** An account with a wallet that pays, and with another wallet. */
export interface Sender {
  readonly account: string;
  readonly parent: string;
  readonly secretKey: string;
  readonly wallet: TestWallet;
  readonly other: TestWallet;
}

/** How a payment ended: `paid`, or the reason of the refusal in the words of its API. */
export type Ending = string;

/** Something that pays from a wallet, with its key. */
export interface Payer {
  /** The id of the key. */
  readonly keyId: string;
  pay(amountMsat: number): Promise<Ending>;
  close?(): void;
}

export interface Way {
  readonly name: string;
  /** Absent: 1. Some interfaces know whole satoshis only. */
  readonly stepMsat?: number;
  /** Whether the money stays in the service. */
  readonly isInternal?: boolean;
  /** Whether it is booked at once, so that it is never a pending payment. */
  readonly isTransfer?: boolean;
  /** Whether it starts later than its request, so that a request that is refused now may be paid later. */
  readonly isPostponed?: boolean;
  /** Creates a key with limits, of the kind that the way uses. `maySend` false: without the permission to send. */
  connect(app: FakeNodeApp, sender: Sender, limits: Json, maySend: boolean): Promise<Payer>;
}

const outsideInvoice = ({ net }: FakeNodeApp, amountMsat: number): string =>
  net.outside.invoice({ amountMsat, script: { fee: 0 } }).paymentRequest;

/** Returns an invoice of another account of the service. */
async function ownInvoice({ client }: FakeNodeApp, amountMsat: number): Promise<string> {
  const { id } = await client.wallet();
  return (await client.post(`/v1/wallet/${id}/invoice`, { num_msat: amountMsat })).payment_request;
}

async function outsideNode({ client }: FakeNodeApp): Promise<string> {
  const { nodes } = await client.get('/playground');
  return nodes.find(({ name }: Json) => name === 'alice').pubkey;
}

export function okOf({ status, body, text }: HttpResponse): Json {
  if (status >= 300) throw new Error(`the service returned ${status}: ${text}`);
  return body;
}

async function newKey({ client }: FakeNodeApp, { wallet, secretKey }: Sender, limits: Json, maySend: boolean) {
  const json = maySend ? { kind: 'wallet_admin', ...limits } : { kind: 'wallet_invoice' };
  return okOf(await client.request('POST', `/v1/wallet/${wallet.id}/keys`, { key: secretKey, json })) as { id: string; key: string };
}

type Order = (app: FakeNodeApp, sender: Sender, amountMsat: number) => Promise<{ readonly path: string; readonly json: Json }>;

/** A way over the HTTP API, with an access key. */
function overHttp(name: string, orderOf: Order, more: Partial<Way> = {}, base = '/v1/wallet'): Way {
  return {
    name,
    ...more,
    async connect(app, sender, limits, maySend) {
      const { id, key } = await newKey(app, sender, limits, maySend);
      return {
        keyId: id,
        async pay(amountMsat) {
          const { path, json } = await orderOf(app, sender, amountMsat);
          const { status, body } = await app.client.request('POST', `${base}/${sender.wallet.id}${path}`, { key, json });
          return status < 300 ? 'paid' : body.type;
        },
      };
    },
  };
}

/** A way of an app that is connected over Nostr. */
function overNostr(method: string, paramsOf: (app: FakeNodeApp, amountMsat: number) => Promise<Json>): Way {
  return {
    name: `the app's ${method}`,
    async connect(app, { wallet, secretKey }, limits, maySend) {
      const json = { ...limits, ...(!maySend && { permissions: ['wallet_read', 'wallet_deposit'] }) };
      const created = okOf(await app.client.request('POST', `/v1/wallet/${wallet.id}/connections`, { key: secretKey, json }));
      const connected: NwcApp = await openApp(created);
      return {
        keyId: created.key_id,
        async pay(amountMsat) {
          const { error } = await connected.call(method, await paramsOf(app, amountMsat));
          return error?.code ?? 'paid';
        },
        close: () => connected.close(),
      };
    },
  };
}

/** A way of an app that uses LNDhub's API. */
function overLndhub(path: string, bodyOf: (app: FakeNodeApp, amountMsat: number) => Promise<Json>, more: Partial<Way> = {}): Way {
  return {
    name: `LNDhub's ${path}`,
    ...more,
    async connect(app, sender, limits, maySend) {
      const { id, key } = await newKey(app, sender, limits, maySend);
      const headers = { authorization: `Bearer ${key}` };
      return {
        keyId: id,
        async pay(amountMsat) {
          const { body } = await app.client.request('POST', `/lndhub/ext/${path}`, { headers, json: await bodyOf(app, amountMsat) });
          return body.error === true ? `LNDhub ${body.code}` : 'paid';
        },
      };
    },
  };
}

/** A claim of a withdraw link that a key has created. */
const claimOfLink: Way = {
  name: 'the claim of a withdraw link',
  async connect(app, sender, limits, maySend) {
    const { id, key } = await newKey(app, sender, limits, maySend);
    const path = `/v1/wallet/${sender.wallet.id}/lnurl/withdraw`;
    const order = { num_satoshis: 10_000, uses: 10, fee_limit_msat: 0 };
    const { status, body } = await app.client.request('POST', path, { key, json: order });
    return {
      keyId: id,
      async pay(amountMsat) {
        if (status !== 201) return body.type;
        const { status: answer, reason } = await claimAll(body.url, outsideInvoice(app, amountMsat));
        return answer === 'OK' ? 'paid' : reason;
      },
    };
  },
};

/** A line of a payout, which starts in the background. */
const payoutLine: Way = {
  name: 'a line of a payout',
  isPostponed: true,
  async connect(app, sender, limits, maySend) {
    const { id, key } = await newKey(app, sender, limits, maySend);
    const path = `/v1/wallet/${sender.wallet.id}/payouts`;
    return {
      keyId: id,
      async pay(amountMsat) {
        const json = { lines: [{ destination: outsideInvoice(app, amountMsat) }] };
        const { status, body } = await app.client.request('POST', path, { key, json, headers: { 'idempotency-key': randomUUID() } });
        if (status !== 201) return body.type;
        const read = async (): Promise<Json> =>
          okOf(await app.client.request('GET', `${path}/${body.id}`, { key: sender.secretKey })).lines[0];
        await vi.waitUntil(async () => ['paid', 'failed'].includes((await read()).status), { timeout: 120_000, interval: 20 });
        const line = await read();
        return line.status === 'paid' ? 'paid' : line.failure_reason;
      },
    };
  },
};

/** Each way to pay from a wallet. Add a new one here. */
export const WAYS: readonly Way[] = [
  overHttp('the payment of an invoice', async (app, _sender, amountMsat) => ({
    path: '/withdraw',
    json: { payment_request: outsideInvoice(app, amountMsat) },
  })),
  overHttp('the payment of an invoice without an amount', async ({ net }, _sender, amountMsat) => ({
    path: '/withdraw',
    json: { payment_request: net.outside.invoice({ script: { fee: 0 } }).paymentRequest, num_msat: amountMsat },
  })),
  overHttp(
    'the payment of an invoice of this service',
    async (app, _sender, amountMsat) => ({ path: '/withdraw', json: { payment_request: await ownInvoice(app, amountMsat) } }),
    { isInternal: true },
  ),
  overHttp('a keysend', async (app, _sender, amountMsat) => ({
    path: '/keysend',
    json: { dest_pubkey: await outsideNode(app), num_msat: amountMsat },
  })),
  overHttp(
    'the payment of an LNURL',
    async ({ client }, _sender, amountMsat) => {
      const { id } = await client.wallet();
      const link = await client.post(`/v1/wallet/${id}/lnurlp`, { lnurlp_minSendable_msat: 1000, lnurlp_maxSendable_msat: 10_000_000 });
      return { path: '/lnurlp/pay', json: { lnurlpay_encoded: link.lnurl_encoded, num_msat: amountMsat } };
    },
    { isInternal: true },
  ),
  overHttp(
    'a transfer',
    async (_app, { other }, amountMsat) => ({ path: '/transfer', json: { dest_wallet_id: other.id, num_msat: amountMsat } }),
    { isInternal: true, isTransfer: true },
  ),
  overHttp(
    'a transfer at the path of old clients',
    async (_app, { other }, amountMsat) => ({ path: '/transfer', json: { dest_wallet_id: other.id, num_msat: amountMsat } }),
    { isInternal: true, isTransfer: true },
    '/v1/user/wallet',
  ),
  overHttp(
    'a bulk transfer',
    async (_app, { other }, amountMsat) => ({ path: '/transfers', json: { lines: [{ dest_wallet_id: other.id, num_msat: amountMsat }] } }),
    { isInternal: true, isTransfer: true },
  ),
  payoutLine,
  claimOfLink,
  overNostr('pay_invoice', async (app, amountMsat) => ({ invoice: outsideInvoice(app, amountMsat) })),
  overNostr('pay_keysend', async (app, amountMsat) => ({ pubkey: await outsideNode(app), amount: amountMsat })),
  overNostr('pay', async (app, amountMsat) => ({ payment: outsideInvoice(app, amountMsat) })),
  overNostr('multi_pay_invoice', async (app, amountMsat) => ({ invoices: [{ invoice: outsideInvoice(app, amountMsat) }] })),
  overNostr('multi_pay_keysend', async (app, amountMsat) => ({ keysends: [{ pubkey: await outsideNode(app), amount: amountMsat }] })),
  overLndhub('payinvoice', async (app, amountMsat) => ({ invoice: outsideInvoice(app, amountMsat) })),
  overLndhub('keysend', async (app, amountMsat) => ({ destination: await outsideNode(app), amount: String(amountMsat / 1000) }), {
    stepMsat: 1000,
  }),
];
