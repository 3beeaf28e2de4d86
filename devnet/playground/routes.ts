import type { Socket } from 'node:net';
import { Type } from 'typebox';
import { satToMsat } from '../../src/core/kernel/money.ts';
import { decodeBolt11 } from '../../src/core/lightning/bolt11/bolt11.ts';
import type { App } from '../../src/http/app-type.ts';
import {
  CustomRecords,
  choice,
  customRecordsHex,
  described,
  Expiry,
  Memo,
  memoText,
  NumSatoshis,
  NumSatoshisOrAny,
  PaymentRequest,
  requestBody,
} from '../../src/http/fields.ts';
import { requires } from '../../src/http/openapi/route-schema.ts';
import { namedObject } from '../../src/http/responses/response-types.ts';
import { createRelay } from '../relay.ts';
import { linkRoutes } from './link-routes.ts';
import { OutsidePaymentObject, PlaygroundObject, renderOutsidePayment, renderPlayground } from './playground-object.ts';
import { COMMON, OutsideNode, type PlaygroundRouteDependencies, playing, untilCredited } from './route-parts.ts';

const describeSchema = {
  ...COMMON,
  operationId: 'getPlayground',
  summary: 'Read the nodes and channels of the playground',
  response: { 200: PlaygroundObject },
};

const paySchema = {
  ...COMMON,
  operationId: 'playgroundPay',
  summary: 'Pay an invoice of this service from another node',
  body: requestBody({
    payment_request: PaymentRequest,
    from: Type.Optional(described(OutsideNode, 'The node that pays: `alice` is our peer, `carol` is behind alice. Default: `alice`')),
    num_satoshis: Type.Optional(described(NumSatoshis, 'The amount in whole satoshis, for an invoice without an amount')),
  }),
  response: { 200: OutsidePaymentObject },
};

const fundSchema = {
  ...COMMON,
  operationId: 'playgroundFund',
  summary: 'Fund a wallet',
  description: 'Another node pays an invoice of the wallet. The key needs `wallet_deposit` in it.',
  ...requires('any_key'),
  body: requestBody({
    wallet_id: Type.String({ maxLength: 128, description: 'The id or an access key of the wallet' }),
    num_satoshis: NumSatoshis,
  }),
  response: { 200: OutsidePaymentObject },
};

const keysendSchema = {
  ...COMMON,
  operationId: 'playgroundKeysend',
  summary: 'Send a keysend to this service from another node',
  body: requestBody({ num_satoshis: NumSatoshis, custom_records: Type.Optional(CustomRecords), from: Type.Optional(OutsideNode) }),
  response: { 200: OutsidePaymentObject },
};

const invoiceSchema = {
  ...COMMON,
  operationId: 'playgroundInvoice',
  summary: 'Create an invoice of another node',
  body: requestBody({
    num_satoshis: Type.Optional(NumSatoshisOrAny),
    memo: Type.Optional(Memo),
    description_hash: Type.Optional(
      Type.String({
        pattern: '^[0-9a-fA-F]{64}$',
        rule: '64 hexadecimal characters',
        description: 'The SHA-256 of a longer description, in hex. The invoice contains it instead of `memo`',
      }),
    ),
    at: Type.Optional(OutsideNode),
    expiry: Type.Optional(described(Expiry, 'How long the invoice can be paid, in seconds. Default: 3600')),
    hold: Type.Optional(
      Type.Boolean({ description: 'Whether the payment stays open until `/playground/hold/{hash}` settles or cancels it' }),
    ),
  }),
  response: {
    200: namedObject('OutsideInvoice', {
      payment_request: Type.String({ description: 'The BOLT11 invoice' }),
      payment_hash: Type.String({ description: '32 bytes in hex' }),
    }),
  },
};

const HoldAction = choice(['settle', 'cancel'], { description: '`settle` claims the money, `cancel` returns it' });

const holdSchema = {
  ...COMMON,
  operationId: 'playgroundHold',
  summary: 'Settle or cancel a hold invoice of another node',
  params: Type.Object({
    hash: Type.String({ pattern: '^[0-9a-fA-F]{64}$', description: 'The payment hash, in hex' }),
  }),
  body: requestBody({ action: HoldAction }),
  response: {
    200: namedObject('ResolvedHold', {
      payment_hash: Type.String({ description: '32 bytes in hex' }),
      action: Type.String({ description: '`settle` or `cancel`' }),
    }),
  },
};

const paymentsSchema = {
  ...COMMON,
  operationId: 'listPlaygroundPayments',
  summary: 'List the payments of the other nodes',
  querystring: Type.Object({
    after: Type.Optional(
      Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Returns only payments with a larger id' }),
    ),
  }),
  response: {
    200: namedObject('OutsidePayments', { payments: Type.Array(OutsidePaymentObject, { description: 'Oldest first, at most 1,000' }) }),
  },
};

/** Controls the other nodes of the test network, for any key that is not public. These routes do not exist with a real node. */
export function playgroundRoutes(app: App, deps: PlaygroundRouteDependencies): void {
  describeRoute(app, deps);
  payRoutes(app, deps);
  invoiceRoutes(app, deps);
  paymentsRoute(app, deps);
  linkRoutes(app, deps);
  serveRelay(app);
}

/** Serves a Nostr relay at /playground/relay, so that apps can be connected without any other service. */
function serveRelay(app: App): void {
  const relay = createRelay();
  app.server.on('upgrade', (request, socket: Socket, head) => {
    if (request.url === '/playground/relay') relay.accept(request, socket, head);
    else socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\n\r\n');
  });
  app.addHook('preClose', async () => relay.disconnectAll());
}

function describeRoute(app: App, { access, control }: PlaygroundRouteDependencies): void {
  app.get('/playground', { schema: describeSchema, config: { isAlsoPage: true } }, async (request) => {
    await access.secretKey(request);
    return renderPlayground(await playing(() => control.describe()));
  });
}

function payRoutes(app: App, deps: PlaygroundRouteDependencies): void {
  const { access, invoices, control } = deps;
  app.post('/playground/pay', { schema: paySchema }, async (request) => {
    await access.secretKey(request);
    const { payment_request: paymentRequest, from = 'alice', num_satoshis: sat } = request.body;
    const invoice = await playing(() => decodeBolt11(paymentRequest));
    const amount = sat === undefined || invoice.amountMsat !== undefined ? {} : { amountMsat: satToMsat(sat) };
    const paid = await playing(() => control.payInvoice({ paymentRequest: invoice.paymentRequest, from, ...amount }));
    if (paid.state === 'succeeded') await untilCredited(invoices, invoice.paymentHash);
    return renderOutsidePayment(paid);
  });

  app.post('/playground/fund', { schema: fundSchema }, async (request) => {
    const wallet = await access.walletByIdOrKey(request, request.body.wallet_id, 'wallet_deposit');
    const order = { wallet, amountMsat: satToMsat(request.body.num_satoshis), memo: 'Playground', expirySeconds: 3600 };
    const { paymentRequest, paymentHash } = await invoices.create({ ...order, wtxType: 'ln_deposit' });
    const paid = await playing(() => control.payInvoice({ paymentRequest, from: 'alice' }));
    if (paid.state === 'succeeded') await untilCredited(invoices, paymentHash);
    return renderOutsidePayment(paid);
  });

  app.post('/playground/keysend', { schema: keysendSchema }, async (request) => {
    await access.secretKey(request);
    const { num_satoshis: sat, custom_records: records, from = 'alice' } = request.body;
    const paid = await playing(() => control.keysend({ from, amountMsat: satToMsat(sat), customRecords: customRecordsHex(records) }));
    if (paid.state === 'succeeded') await untilCredited(invoices, paid.paymentHash);
    return renderOutsidePayment(paid);
  });
}

function invoiceRoutes(app: App, { access, control }: PlaygroundRouteDependencies): void {
  app.post('/playground/invoice', { schema: invoiceSchema }, async (request) => {
    await access.secretKey(request);
    const { num_satoshis: sat, memo, description_hash: hash, at = 'alice', expiry = 3600, hold = false } = request.body;
    const amount = sat === undefined ? {} : { amountMsat: satToMsat(sat) };
    const order = { ...amount, memo: memoText(memo), descriptionHash: hash?.toLowerCase(), at, expirySeconds: expiry, hold };
    const made = await playing(() => control.createInvoice(order));
    return { payment_request: made.paymentRequest, payment_hash: made.paymentHash };
  });

  app.post('/playground/hold/:hash', { schema: holdSchema }, async (request) => {
    await access.secretKey(request);
    const hash = request.params.hash.toLowerCase();
    await playing(() => control.resolveHold(hash, request.body.action));
    return { payment_hash: hash, action: request.body.action };
  });
}

function paymentsRoute(app: App, { access, control }: PlaygroundRouteDependencies): void {
  app.get('/playground/payments', { schema: paymentsSchema }, async (request) => {
    await access.secretKey(request);
    const payments = await playing(() => control.payments(request.query.after ?? 0, PAYMENTS_PAGE));
    return { payments: payments.map(renderOutsidePayment) };
  });
}

/** Payments of one response; `after` with the last id returns the next ones. */
const PAYMENTS_PAGE = 1000;
