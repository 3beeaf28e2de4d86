import { setTimeout as delay } from 'node:timers/promises';
import { Type } from 'typebox';
import { satToMsat } from '../../src/core/kernel/money.ts';
import type { App } from '../../src/http/app-type.ts';
import { described, NumSatoshis, plainText, requestBody } from '../../src/http/fields.ts';
import { namedObject, nullable, oneOf } from '../../src/http/responses/response-types.ts';
import type { PlaygroundControl } from '../test-network.ts';
import { OutsidePaymentObject, renderOutsidePayment } from './playground-object.ts';
import {
  COMMON,
  CREDIT_POLL_MS,
  CREDIT_WAIT_MS,
  OutsideNode,
  type PlaygroundRouteDependencies,
  playing,
  untilCredited,
} from './route-parts.ts';

const MAX_LNURL = 4400;
const MAX_COMMENT = 1000;

const payLinkSchema = {
  ...COMMON,
  operationId: 'playgroundPayLink',
  summary: 'Pay a pay link or a Lightning address of this service from another node',
  description:
    'The other node requests an invoice of the link as a wallet elsewhere does (LUD-06), and pays it. Each request is a payment.',
  body: requestBody({
    destination: Type.String({ maxLength: MAX_LNURL, description: 'A Lightning address or an LNURL of this service' }),
    num_satoshis: NumSatoshis,
    comment: Type.Optional(
      Type.String({ maxLength: MAX_COMMENT, description: 'A text for the payee. Left out if it is longer than the link allows' }),
    ),
    from: Type.Optional(OutsideNode),
  }),
  response: {
    200: namedObject('PlaygroundPaidLink', {
      ...OutsidePaymentObject.properties,
      comment_not_sent: nullable(Type.String({ description: 'Why the payee has not got the comment; null if it has, or none was sent' })),
    }),
  },
};

const claimSchema = {
  ...COMMON,
  operationId: 'playgroundClaim',
  summary: 'Claim a withdraw link of this service at another node',
  description:
    'The other node sends an invoice to the link as a wallet elsewhere does (LUD-03). The response waits up to ten seconds for the payment.',
  body: requestBody({
    lnurl: Type.String({ maxLength: MAX_LNURL, description: 'The LNURL of a withdraw link of this service' }),
    num_satoshis: Type.Optional(described(NumSatoshis, 'The amount in whole satoshis. Default: the largest that the link offers')),
    at: Type.Optional(OutsideNode),
  }),
  response: {
    200: namedObject('PlaygroundClaim', {
      node: Type.String({ description: '`alice` or `carol`' }),
      payment_request: Type.String({ description: 'The BOLT11 invoice of the other node' }),
      payment_hash: Type.String({ description: '32 bytes in hex' }),
      amount_msat: Type.Integer({ description: 'The amount in millisatoshis' }),
      state: oneOf(['succeeded', 'pending'], {
        description: '`succeeded`: the other node has received the money. `pending`: it had not arrived after ten seconds',
      }),
    }),
  },
};

/** The routes by which nodes outside use links and addresses of this service. */
export function linkRoutes(app: App, { access, invoices, control, links }: PlaygroundRouteDependencies): void {
  app.post('/playground/pay-link', { schema: payLinkSchema }, async (request) => {
    const { accountId } = await access.secretKey(request);
    const { destination, num_satoshis: sat, from = 'alice' } = request.body;
    const comment = request.body.comment === undefined ? undefined : plainText('comment', request.body.comment);
    const order = { destination, amountMsat: satToMsat(sat), comment };
    const { paymentRequest, paymentHash, commentNotSent } = await links.requestInvoice(accountId, order);
    const paid = await playing(() => control.payInvoice({ paymentRequest, from }));
    if (paid.state === 'succeeded') await untilCredited(invoices, paymentHash);
    return { ...renderOutsidePayment(paid), comment_not_sent: commentNotSent ?? null };
  });

  app.post('/playground/claim', { schema: claimSchema }, async (request) => {
    const { accountId } = await access.secretKey(request);
    const { lnurl, num_satoshis: sat, at = 'alice' } = request.body;
    const newest = await newestPayment(control);
    let amountMsat = 0;
    const { paymentRequest, paymentHash } = await links.claim(accountId, {
      lnurl,
      amountMsat: sat === undefined ? undefined : satToMsat(sat),
      createInvoice(offer) {
        amountMsat = offer.amountMsat;
        return playing(() => control.createInvoice({ ...offer, at, expirySeconds: 3600, hold: false }));
      },
    });
    const state = (await hasArrived(control, newest, paymentHash)) ? ('succeeded' as const) : ('pending' as const);
    return { node: at, payment_request: paymentRequest, payment_hash: paymentHash, amount_msat: amountMsat, state };
  });
}

const PAGE = 1000;

/** Returns the id of the newest payment of the other nodes; 0 if there is none. */
async function newestPayment(control: PlaygroundControl): Promise<number> {
  for (let newest = 0; ; ) {
    const page = await playing(() => control.payments(newest, PAGE));
    newest = page.at(-1)?.id ?? newest;
    if (page.length < PAGE) return newest;
  }
}

/** Waits until another node has received a payment that is newer than `after`. */
async function hasArrived(control: PlaygroundControl, after: number, paymentHash: string): Promise<boolean> {
  for (const deadline = Date.now() + CREDIT_WAIT_MS; Date.now() < deadline; await delay(CREDIT_POLL_MS)) {
    const payments = await playing(() => control.payments(after, PAGE));
    if (payments.some((one) => one.paymentHash === paymentHash && one.state === 'succeeded')) return true;
  }
  return false;
}
