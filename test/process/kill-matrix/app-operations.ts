import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { publicKeyOf, signEvent, tagValue } from '../../../src/core/nostr/event.ts';
import { appOfWallet, type TestApp } from '../../lndhub/app.ts';
import type { HttpResponse, Json } from '../../support/client.ts';
import { RESPONSE, requestAnsweredBy } from '../../support/nwc.ts';
import { type Lane, until } from './lane.ts';
import { type Attempt, msatOf, type Operation, outsideInvoice, outsideStarts, pubkeyOfCarol, type Wallets } from './operation.ts';

/** Returns a response of another API as the HTTP API responds to the same: 201 for an effect, 4xx if there is and will be none. */
function responseOf(status: number, body: Json): HttpResponse {
  return { status, headers: new Headers(), body, text: JSON.stringify(body) };
}

function hashOf(preimage: Buffer): string {
  return createHash('sha256').update(preimage).digest('hex');
}

interface PayableInvoice {
  readonly paymentHash: string;
  readonly paymentRequest: string;
}

/** Pays as an app does over LNDhub. It repeats its request until it has the outcome. */
function lndhubAttempt(app: TestApp, invoice: PayableInvoice, amountMsat: number): Attempt {
  const pay = async () => {
    const { status, body } = await app.pay(invoice.paymentRequest);
    expect([200, 503]).toContain(status);
    if (status === 503) return responseOf(202, body);
    const { data } = body.payment_preimage;
    if (data.length > 0) expect(hashOf(Buffer.from(data))).toBe(invoice.paymentHash);
    expect(body).toMatchObject({ num_msat: amountMsat, status: 'complete' });
    return responseOf(201, body);
  };
  return {
    amountMsat,
    paymentHash: invoice.paymentHash,
    request: pay,
    async recover() {
      let response = await pay();
      if (response.status === 202)
        await until('the repeated request has the outcome', async () => {
          response = await pay();
          return response.status === 201;
        });
      return response;
    },
  };
}

function lndhubPayment(
  { name, moves }: Pick<Operation, 'name' | 'moves'>,
  invoiceOf: (lane: Lane, numSatoshis: number, wallets: Wallets) => Promise<PayableInvoice>,
): Operation {
  return {
    name: `${name} over LNDhub`,
    moves,
    ends: 'paid',
    startedBy: 'outside',
    async prepare(lane, wallets, numSatoshis) {
      const invoice = await invoiceOf(lane, numSatoshis, wallets);
      return lndhubAttempt(appOfWallet(lane.client, wallets.payer), invoice, msatOf(numSatoshis));
    },
  };
}

async function lndhubInvoiceOfReceiver({ client }: Lane, numSatoshis: number, { receiver }: Wallets): Promise<PayableInvoice> {
  const { body } = await appOfWallet(client, receiver).addInvoice({ amt: numSatoshis });
  return { paymentHash: body.hash, paymentRequest: body.pay_req };
}

const lndhubInvoice: Operation = {
  name: 'new invoice over LNDhub',
  moves: 'none',
  ends: 'paid',
  startedBy: 'service',
  async prepare(lane, { receiver }, numSatoshis) {
    return {
      amountMsat: msatOf(numSatoshis),
      async request() {
        const { status, body } = await appOfWallet(lane.client, receiver).addInvoice({ amt: numSatoshis });
        expect(status).toBe(200);
        return responseOf(201, { id: expect.any(String), payment_request: body.pay_req, r_hash_decoded: body.hash });
      },
    };
  },
};

interface NwcRequest {
  readonly method: string;
  readonly params: object;
  readonly wallet: 'payer' | 'receiver';
  readonly paymentHash?: string;
}

/** An operation that an app requests over Nostr. Its request is at the relay, so that it is executed and answered after a kill, too. */
function nwcOperation(
  { name, hold, ...rest }: Pick<Operation, 'name' | 'moves' | 'ends'> & { readonly hold?: 'settle' | 'cancel' },
  requestOf: (lane: Lane, numSatoshis: number) => Promise<NwcRequest>,
): Operation {
  return {
    name: `${name} over Nostr`,
    ...rest,
    startedBy: 'outside',
    ...(hold && { hold }),
    async prepare(lane, wallets, numSatoshis) {
      const { method, params, wallet, paymentHash } = await requestOf(lane, numSatoshis);
      const app = await lane.app(wallets[wallet]);
      const event = app.request(method, params);
      const responses = () => lane.relay.events.filter((one) => requestAnsweredBy(one) === event.id);
      const response = async () => nwcResponse(await app.responseTo(event), paymentHash);
      return {
        amountMsat: msatOf(numSatoshis),
        ...(paymentHash !== undefined && { paymentHash }),
        async request() {
          await app.send(event);
          return Promise.race([response(), lane.dead.then(() => undefined)]);
        },
        recover: response,
        check: () => expect(responses(), 'the request is answered once').toHaveLength(1),
      };
    },
  };
}

/** Any other error would say that nothing was paid, before that is certain. */
function nwcResponse({ result, error }: Json, paymentHash: string | undefined): HttpResponse {
  if (error) {
    expect(error).toMatchObject({ code: 'PAYMENT_FAILED' });
    return responseOf(400, error);
  }
  if (result.invoice !== undefined)
    return responseOf(201, { id: expect.any(String), payment_request: result.invoice, r_hash_decoded: result.payment_hash });
  const paid = hashOf(Buffer.from(result.preimage, 'hex'));
  expect(paid).toBe(paymentHash ?? paid);
  return responseOf(201, result);
}

async function payInvoice(lane: Lane, numSatoshis: number, hold = false): Promise<NwcRequest> {
  const { paymentRequest, paymentHash } = await outsideInvoice(lane, numSatoshis, { hold });
  return { method: 'pay_invoice', params: { invoice: paymentRequest }, wallet: 'payer', paymentHash };
}

async function payKeysend(lane: Lane, numSatoshis: number): Promise<NwcRequest> {
  return { method: 'pay_keysend', params: { amount: msatOf(numSatoshis), pubkey: await pubkeyOfCarol(lane) }, wallet: 'payer' };
}

async function makeInvoice(_lane: Lane, numSatoshis: number): Promise<NwcRequest> {
  return { method: 'make_invoice', params: { amount: msatOf(numSatoshis) }, wallet: 'receiver' };
}

/** Returns the number of different responses to each request of an app, and of receipts of each zap, that were published until now. */
export function sentOf({ relay }: Lane): number[] {
  const sent = relay.events.flatMap((event) => {
    if (event.kind === RESPONSE) return [requestAnsweredBy(event)];
    return event.kind === RECEIPT ? [tagValue(event, 'bolt11')] : [];
  });
  return Array.from(Map.groupBy(sent, (answered) => answered).values(), ({ length }) => length);
}

const RECEIPT = 9735;
const ZAPPER = new Uint8Array(32).fill(7);

/** The invoice of a zap request (NIP-57) is paid, and the receipt is published. */
const zap: Operation = {
  name: 'zap',
  moves: 'in',
  ends: 'paid',
  startedBy: 'outside',
  async prepare(lane, { receiver }, numSatoshis) {
    const { client, relay } = lane;
    const amountMsat = msatOf(numSatoshis);
    const { default_lnurlpay_id: link } = await client.get(`/v1/wallet/${receiver.id}`);
    const tags = [
      ['relays', relay.url],
      ['amount', `${amountMsat}`],
      ['p', publicKeyOf(ZAPPER)],
    ];
    const event = signEvent({ kind: 9734, created_at: 1_700_000_000, tags, content: '' }, ZAPPER);
    const nostr = encodeURIComponent(JSON.stringify(event));
    const { pr } = await client.get(`/v1/wallet/${receiver.lnurlPay}/lnurlp/${link}?amount=${amountMsat}&nostr=${nostr}`);
    const receipts = () => relay.events.filter((one) => one.kind === RECEIPT && tagValue(one, 'bolt11') === pr);
    expect(receipts()).toEqual([]);
    return {
      amountMsat,
      request: () => outsideStarts(lane, lane.outside.payInvoice({ paymentRequest: pr, from: 'carol' })),
      check: () => expect(receipts(), 'the zap has one receipt').toHaveLength(1),
    };
  },
};

/** The operations of wallet apps: over LNDhub, Nostr Wallet Connect, and zaps. */
export const APP_OPERATIONS: readonly Operation[] = [
  lndhubPayment({ name: 'payment', moves: 'out' }, (lane, sat) => outsideInvoice(lane, sat)),
  lndhubPayment({ name: 'payment to a local invoice', moves: 'inside' }, lndhubInvoiceOfReceiver),
  lndhubInvoice,
  zap,
  nwcOperation({ name: 'payment', moves: 'out', ends: 'paid' }, payInvoice),
  nwcOperation({ name: 'cancelled hold invoice', moves: 'out', ends: 'failed', hold: 'cancel' }, (lane, sat) =>
    payInvoice(lane, sat, true),
  ),
  nwcOperation({ name: 'keysend', moves: 'out', ends: 'paid' }, payKeysend),
  nwcOperation({ name: 'new invoice', moves: 'none', ends: 'paid' }, makeInvoice),
];
