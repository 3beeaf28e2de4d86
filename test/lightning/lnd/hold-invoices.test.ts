import { describe, expect, it } from 'vitest';
import { msat } from '../../../src/core/kernel/money.ts';
import { permitsHoldInvoices } from '../../../src/core/lightning/lnd/permissions.ts';
import { HashUsed } from '../../../src/core/lightning/node.ts';
import { paymentHashOf } from '../../../src/core/lightning/payment-hash.ts';
import { recording } from './recordings.ts';
import { scriptedLnd } from './scripted-lnd.ts';

/*
 * The responses are not recorded: they follow `invoices.proto`, `invoices.yaml` and `CreateRPCInvoice` of LND. Its errors are those of
 * `invoices/errors.go`, in the form of recorded errors.
 */

const open = scriptedLnd();

const preimage = '07'.repeat(32);
const paymentHash = paymentHashOf(preimage);
const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
const path = `GET /v1/invoice/${paymentHash}`;
const INVOICE = recording('01-add-invoice', 'lookup of it (GET /v1/invoice/<hex hash>)').response.body as object;
const UNKNOWN = recording('01-add-invoice', 'lookup unknown hash').response;
const EXISTS = recording('01-add-invoice', 'same preimage again, same fields').response;
const failed = (message: string) => ({ status: 500, body: { code: 2, message, details: [] } });

const htlc = (amount: number, expiry_height: number, state = 'ACCEPTED') => ({
  chan_id: '1',
  htlc_index: String(expiry_height),
  state,
  amt_msat: String(amount),
  expiry_height,
  custom_records: {},
});

/** A hold invoice. LND has no preimage of it until it is settled. */
function invoiceIn(state: string, more: object = {}) {
  return { body: { ...INVOICE, r_hash: base64(paymentHash), r_preimage: '', state, ...more } };
}

describe('LND, as its documentation says,', () => {
  it('creates a hold invoice from the payment hash', async () => {
    const { lnd, node } = await open();
    lnd.on('POST /v2/invoices/hodl', { body: { payment_request: 'lnbcrt1hold', add_index: '5', payment_addr: '' } });
    const request = { paymentHash, amountMsat: msat(5001), description: 'tea', expirySeconds: 600 };
    expect(await node.createHoldInvoice?.({ ...request, minFinalCltvBlocks: 144 })).toEqual({ paymentRequest: 'lnbcrt1hold' });
    const body = { hash: base64(paymentHash), value_msat: '5001', memo: 'tea', expiry: '600', private: false };
    expect(lnd.sent('/v2/invoices/hodl')[0]?.body).toEqual({ ...body, cltv_expiry: '144' });
    await node.createHoldInvoice?.(request);
    expect(lnd.sent('/v2/invoices/hodl')[1]?.body).toEqual(body);
  });

  it('refuses a payment hash that it has had, and its invoice is not taken over', async () => {
    const { lnd, node } = await open();
    lnd.on('POST /v2/invoices/hodl', EXISTS);
    const created = node.createHoldInvoice?.({ paymentHash, description: '', expirySeconds: 600 });
    await expect(created).rejects.toThrow(HashUsed);
    expect(lnd.requests).toHaveLength(1);
  });

  it('lists a held payment with its amount and the blocks until its first HTLC expires', async () => {
    const { lnd, node } = await open();
    const htlcs = [htlc(3000, 190), htlc(2001, 180), htlc(9999, 110, 'CANCELED')];
    lnd.on(path, invoiceIn('ACCEPTED', { htlcs }));
    lnd.on('GET /v1/getinfo', { body: { block_height: 100 } });
    expect(await node.lookupInvoice(paymentHash)).toEqual({ state: 'held', amountMsat: 5001, blocksLeft: 80 });
    lnd.on(path, invoiceIn('ACCEPTED', { htlcs: [] }));
    await expect(node.lookupInvoice(paymentHash)).rejects.toThrow('without HTLCs');
    // The preimage of an invoice of LND's own is known: LND is claiming the payment.
    lnd.on(path, invoiceIn('ACCEPTED', { htlcs, r_preimage: base64(preimage) }));
    expect(await node.lookupInvoice(paymentHash)).toEqual({ state: 'accepted' });
  });

  it('settles with the preimage', async () => {
    const { lnd, node } = await open();
    lnd.on('POST /v2/invoices/settle', { body: {} });
    expect(await node.settleHoldInvoice?.(preimage)).toBe('settled');
    expect(lnd.sent('/v2/invoices/settle')[0]?.body).toEqual({ preimage: base64(preimage) });
  });

  it.each([
    ['invoice already settled', 'SETTLED', 'settled'],
    ['invoice already canceled', 'CANCELED', 'cancelled'],
    ['invoice still open', 'OPEN', 'open'],
  ])('returns “%s”, and the state of the invoice decides', async (message, state, outcome) => {
    const { lnd, node } = await open();
    lnd.on('POST /v2/invoices/settle', failed(message)).on(path, invoiceIn(state));
    expect(await node.settleHoldInvoice?.(preimage)).toBe(outcome);
  });

  it('does not know an invoice, or fails for another reason: then the outcome is unknown', async () => {
    const { lnd, node } = await open();
    lnd.on('POST /v2/invoices/settle', failed('unable to locate invoice')).on(path, UNKNOWN);
    expect(await node.settleHoldInvoice?.(preimage)).toBe('unknown');
    lnd.on('POST /v2/invoices/settle', failed('database is locked')).on(path, invoiceIn('ACCEPTED'));
    await expect(node.settleHoldInvoice?.(preimage)).rejects.toThrow('database is locked');
  });
});

describe('hold invoices', () => {
  it('are offered only with a macaroon that permits them', () => {
    expect(permitsHoldInvoices(Buffer.from('0200', 'hex'))).toBe(false);
    expect(permitsHoldInvoices(Buffer.from('not a macaroon'))).toBe(false);
  });
});
