import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { msat } from '../../../src/core/kernel/money.ts';
import { decodeBolt11 } from '../../../src/core/lightning/bolt11/bolt11.ts';
import { MARKER, SEND, scriptedPayments } from './orders.ts';
import { fixtureFile } from './recordings.ts';
import type { Refusal } from './refusals.ts';

const opened = scriptedPayments();
/** What LND 0.21.99-beta answered to invoices that the decoder accepts: one of each kind among those of `any-invoice.thorough.test.ts`. */
const REFUSALS = JSON.parse(readFileSync(fixtureFile('19-refusals.json'), 'utf8')) as Refusal[];

it.each(REFUSALS)('fails a payment whose invoice LND refuses with $body.error.message', async ({ payment_request, status, body }) => {
  const { paymentRequest, paymentHash, amountMsat = msat(2000) } = decodeBolt11(payment_request);
  const order = { paymentId: 'refused', marker: MARKER, paymentRequest, paymentHash, amountMsat, feeLimitMsat: msat(1000) };
  const { lnd, node } = await opened(order);
  lnd.on(SEND, { status, body });
  expect(await node.pay(order)).toMatchObject({ state: 'failed' });
});
