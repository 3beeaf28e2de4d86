import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { msat } from '../../../src/core/kernel/money.ts';
import { openCln } from '../../../src/core/lightning/cln/cln-node.ts';
import { silentLog as log } from '../../support/ledger.ts';
import { recording, replayOnSocket, type Script } from './replay.ts';

/** The recorded invoice. */
const { params: CREATED } = recording('invoice-create');
const REQUEST = {
  preimage: String(CREATED.preimage),
  amountMsat: msat(Number(CREATED.amount_msat)),
  description: String(CREATED.description),
  expirySeconds: Number(CREATED.expiry),
};
const { result: RESULT } = JSON.parse(recording('invoice-create').response) as { result: { bolt11: string; payment_hash: string } };
const HASH = RESULT.payment_hash;

async function replayed(script: Script) {
  const replay = await replayOnSocket(script);
  const node = openCln({ url: replay.url, log });
  const paramsOf = (method: string) => replay.calls.findLast((call) => call.method === method)?.params;
  return { replay, node, paramsOf };
}

/** An answer of `listinvoices` with one invoice. */
function invoice(status: 'unpaid' | 'paid' | 'expired', more: object = {}) {
  return { result: { invoices: [{ label: `satchel-${HASH}`, bolt11: RESULT.bolt11, payment_hash: HASH, status, ...more }] } };
}

const PAID = invoice('paid', { amount_received_msat: 24_690_000, payment_preimage: REQUEST.preimage, paid_at: 1_795_305_773 });

describe('creating an invoice', () => {
  it('sends the preimage of the service, and a label that follows from the payment hash', async () => {
    const { node, paramsOf } = await replayed({ invoice: 'invoice-create' });
    expect(await node.createInvoice(REQUEST)).toEqual({ paymentRequest: RESULT.bolt11 });
    const { preimage, amountMsat: amount_msat, description, expirySeconds: expiry } = REQUEST;
    expect(paramsOf('invoice')).toEqual({ amount_msat, label: `satchel-${HASH}`, preimage, expiry, description });
  });

  it('asks for any amount if there is none', async () => {
    const { node, paramsOf } = await replayed({ invoice: 'invoice-create' });
    const { amountMsat: _, ...request } = REQUEST;
    await node.createInvoice(request);
    expect(paramsOf('invoice')).toMatchObject({ amount_msat: 'any' });
  });

  it.each(['invoice-dup-label-other-preimage', 'invoice-dup-label-same-preimage'])('%s means that it exists already', async (answer) => {
    const { node, paramsOf } = await replayed({ invoice: answer, listinvoices: invoice('unpaid') });
    expect(await node.createInvoice(REQUEST)).toEqual({ paymentRequest: RESULT.bolt11 });
    expect(paramsOf('listinvoices')).toEqual({ payment_hash: HASH });
  });

  it('passes other errors on', async () => {
    const { node } = await replayed({ invoice: 'invoice-zero' });
    await expect(node.createInvoice(REQUEST)).rejects.toThrow("amount_msat: should be positive msat or 'any'");
  });

  it('lightningd rejects strings with escapes, so control characters and broken surrogates are replaced', async () => {
    const { node, paramsOf } = await replayed({ invoice: 'invoice-create' });
    await node.createInvoice({ ...REQUEST, description: 'a\u0001b\u007fc\ud800d\n"☕"' });
    expect(paramsOf('invoice')).toMatchObject({ description: 'a b c\ufffdd\n"☕"' });
    expect(JSON.stringify(paramsOf('invoice'))).not.toContain('\\u');
  });

  it('lightningd computes a description hash from the text, so the text is required', async () => {
    const { node, paramsOf } = await replayed({ invoice: 'invoice-deschashonly' });
    const description = 'x'.repeat(2000);
    const descriptionHash = createHash('sha256').update(description).digest('hex');
    await node.createInvoice({ ...REQUEST, description, descriptionHash });
    expect(paramsOf('invoice')).toMatchObject({ description, deschashonly: true });
    await expect(node.createInvoice({ ...REQUEST, description: '', descriptionHash })).rejects.toThrow('only from the text');
  });

  it('does not create a cancelled invoice again', async () => {
    const { replay, node } = await replayed({ invoice: 'invoice-create', listinvoices: invoice('unpaid'), delinvoice: 'delinvoice-ok' });
    await node.cancelInvoice(HASH);
    replay.change({ listinvoices: 'listinvoices-unknown' });
    await expect(node.createInvoice(REQUEST)).rejects.toThrow('was cancelled');
  });
});

describe('cancelling an invoice', () => {
  it('stores a tombstone before it deletes the invoice, which then looks like one that never existed', async () => {
    const { replay, node } = await replayed({ listinvoices: invoice('unpaid'), delinvoice: 'delinvoice-ok' });
    expect(await node.cancelInvoice(HASH)).toBe('cancelled');
    const methods = replay.calls.map(({ method }) => method);
    expect(methods).toEqual(['listinvoices', 'datastore', 'delinvoice']);
    replay.change({ listinvoices: 'listinvoices-unknown' });
    expect(await node.cancelInvoice(HASH)).toBe('cancelled');
    expect(await node.lookupInvoice(HASH)).toEqual({ state: 'cancelled' });
  });

  it('of an unknown invoice is unknown', async () => {
    const { node } = await replayed({ listinvoices: 'listinvoices-unknown' });
    expect(await node.cancelInvoice(HASH)).toBe('unknown');
    expect(await node.lookupInvoice(HASH)).toBeUndefined();
  });

  it('that is paid is too late, before and during the cancellation', async () => {
    const { replay, node } = await replayed({ listinvoices: PAID });
    expect(await node.cancelInvoice(HASH)).toBe('settled');
    replay.change({ listinvoices: [invoice('unpaid'), PAID], delinvoice: 'delinvoice-already-paid' });
    expect(await node.cancelInvoice(HASH)).toBe('settled');
    expect(await node.lookupInvoice(HASH)).toEqual({ state: 'settled', amountMsat: 24_690_000, preimage: REQUEST.preimage });
    // The operator may delete paid invoices. This one must not look cancelled then.
    replay.change({ listinvoices: 'listinvoices-unknown' });
    expect(await node.lookupInvoice(HASH)).toBeUndefined();
  });

  it('that has expired meanwhile is deleted as an expired one', async () => {
    const script = { listinvoices: [invoice('unpaid'), invoice('expired')], delinvoice: ['delinvoice-expired', 'delinvoice-ok'] };
    const { node, paramsOf } = await replayed(script);
    expect(await node.cancelInvoice(HASH)).toBe('cancelled');
    expect(paramsOf('delinvoice')).toMatchObject({ status: 'expired' });
  });

  it('that another request has deleted is cancelled', async () => {
    const { node } = await replayed({ listinvoices: [invoice('unpaid'), 'listinvoices-unknown'], delinvoice: 'delinvoice-not-found' });
    expect(await node.cancelInvoice(HASH)).toBe('cancelled');
  });

  it('whose deletion failed leaves the invoice open', async () => {
    const { node } = await replayed({ listinvoices: invoice('unpaid'), delinvoice: 'lost' });
    await expect(node.cancelInvoice(HASH)).rejects.toThrow();
    expect(await node.lookupInvoice(HASH)).toEqual({ state: 'open' });
  });
});

describe('the state of an invoice', () => {
  it.each(['unpaid', 'expired'] as const)('%s is open', async (status) => {
    const { node } = await replayed({ listinvoices: invoice(status) });
    expect(await node.lookupInvoice(HASH)).toEqual({ state: 'open' });
  });

  it('of a paid invoice without its amount is an error, never a guess', async () => {
    const { node } = await replayed({ listinvoices: invoice('paid') });
    await expect(node.lookupInvoice(HASH)).rejects.toThrow('without amount or preimage');
  });
});
