import { describe, expect, it } from 'vitest';
import { msat } from '../../../src/core/kernel/money.ts';
import { type GetInfoResponse, toNodeInfo } from '../../../src/core/lightning/lnd/info.ts';
import type { LndInvoice } from '../../../src/core/lightning/lnd/invoices.ts';
import { permitsHoldInvoices } from '../../../src/core/lightning/lnd/permissions.ts';
import { parseLndUrl } from '../../../src/core/lightning/lnd/url.ts';
import { HashUsed } from '../../../src/core/lightning/node.ts';
import { recording } from './recordings.ts';
import { type ScriptedResponse, scriptedLnd } from './scripted-lnd.ts';

const open = scriptedLnd();

/** The cases were recorded in this order, on a regtest network at block 128. */
const recorded = (name: string) => recording('18-hold-invoices', name);
const responseTo = (name: string): ScriptedResponse => recorded(name).response;
const bodyOf = (name: string) => recorded(name).response.body as LndInvoice;
const hex = (base64: unknown) => Buffer.from(String(base64), 'base64').toString('hex');

const preimage = hex(recorded('settle, accepted').request.body?.preimage);
const paymentHash = hex(recorded('create').request.body?.hash);
const path = `GET /v1/invoice/${paymentHash}`;

const failed = (message: string) => ({ status: 500, body: { code: 2, message, details: [] } });

describe('a hold invoice of LND', () => {
  it('is created from the payment hash', async () => {
    const { lnd, node } = await open();
    lnd.on('POST /v2/invoices/hodl', responseTo('create'));
    const request = { paymentHash, amountMsat: msat(7001), description: 'tea', expirySeconds: 600 };
    const { payment_request: paymentRequest } = recorded('create').response.body as LndInvoice;
    expect(await node.createHoldInvoice?.(request)).toEqual({ paymentRequest });
    const body = recorded('create').request.body;
    expect(lnd.sent('/v2/invoices/hodl')[0]?.body).toEqual(body);
    await node.createHoldInvoice?.({ ...request, minFinalCltvBlocks: 144 });
    expect(lnd.sent('/v2/invoices/hodl')[1]?.body).toEqual({ ...body, cltv_expiry: '144' });
  });

  it('is refused with a payment hash that LND has had, and its invoice is not taken over', async () => {
    const { lnd, node } = await open();
    lnd.on('POST /v2/invoices/hodl', responseTo('create again'));
    const created = node.createHoldInvoice?.({ paymentHash, description: '', expirySeconds: 600 });
    await expect(created).rejects.toThrow(HashUsed);
    expect(lnd.requests).toHaveLength(1);
  });

  it('has the states of LND, and a held payment has the blocks until its first HTLC expires', async () => {
    const { lnd, node } = await open();
    lnd.on('GET /v1/getinfo', { body: { block_height: 128 } });
    lnd.on(path, responseTo('lookup, open'));
    expect(await node.lookupInvoice(paymentHash)).toEqual({ state: 'open' });
    lnd.on(path, responseTo('lookup, accepted'));
    expect(await node.lookupInvoice(paymentHash)).toEqual({ state: 'held', amountMsat: 7001, blocksLeft: 83 });
    lnd.on(path, responseTo('lookup, settled'));
    expect(await node.lookupInvoice(paymentHash)).toEqual({ state: 'settled', amountMsat: 7001, preimage });
    lnd.on(path, responseTo('lookup, cancelled'));
    expect(await node.lookupInvoice(paymentHash)).toEqual({ state: 'cancelled' });
  });

  it('that is paid in parts holds the sum of those that have not failed', async () => {
    const { lnd, node } = await open();
    lnd.on('GET /v1/getinfo', { body: { block_height: 128 } });
    const accepted = bodyOf('lookup, accepted');
    const htlc = (amount: number, expiry_height: number, state = 'ACCEPTED') => ({
      ...accepted.htlcs[0],
      ...{ amt_msat: String(amount), expiry_height, state },
    });
    lnd.on(path, { body: { ...accepted, htlcs: [htlc(3000, 190), htlc(2001, 180), htlc(9999, 110, 'CANCELED')] } });
    expect(await node.lookupInvoice(paymentHash)).toEqual({ state: 'held', amountMsat: 5001, blocksLeft: 52 });
    lnd.on(path, { body: { ...accepted, htlcs: [] } });
    await expect(node.lookupInvoice(paymentHash)).rejects.toThrow('without HTLCs');
    // The preimage of an invoice of LND's own is known: LND is claiming the payment.
    lnd.on(path, { body: { ...accepted, r_preimage: bodyOf('lookup, settled').r_preimage } });
    expect(await node.lookupInvoice(paymentHash)).toEqual({ state: 'accepted' });
  });

  it('is settled with the preimage, also again', async () => {
    const { lnd, node } = await open();
    lnd.on('POST /v2/invoices/settle', responseTo('settle, accepted'), responseTo('settle, settled'));
    expect(await node.settleHoldInvoice?.(preimage)).toBe('settled');
    expect(await node.settleHoldInvoice?.(preimage)).toBe('settled');
    expect(lnd.sent('/v2/invoices/settle')[0]?.body).toEqual(recorded('settle, accepted').request.body);
  });

  it.each([
    ['settle, open', 'lookup, open', 'open'],
    ['settle, cancelled', 'lookup, cancelled', 'cancelled'],
    // As `invoices/errors.go` of LND says.
    [failed('invoice already settled'), 'lookup, settled', 'settled'],
  ] as const)('is not settled, and its state is the reason: %s', async (response, lookup, outcome) => {
    const { lnd, node } = await open();
    lnd.on('POST /v2/invoices/settle', typeof response === 'string' ? responseTo(response) : response).on(path, responseTo(lookup));
    expect(await node.settleHoldInvoice?.(preimage)).toBe(outcome);
  });

  it('is unknown to LND, or LND fails for another reason: then the outcome is unknown', async () => {
    const { lnd, node } = await open();
    const unknown = recording('01-add-invoice', 'lookup unknown hash').response;
    lnd.on('POST /v2/invoices/settle', responseTo('settle without an invoice')).on(path, unknown);
    expect(await node.settleHoldInvoice?.(preimage)).toBe('unknown');
    lnd.on('POST /v2/invoices/settle', failed('database is locked')).on(path, responseTo('lookup, accepted'));
    await expect(node.settleHoldInvoice?.(preimage)).rejects.toThrow('database is locked');
  });

  it('is cancelled while its payment is held, but not once it is settled', async () => {
    const { lnd, node } = await open();
    lnd
      .on('POST /v2/invoices/cancel', responseTo('cancel, accepted'), responseTo('cancel, settled'))
      .on(path, responseTo('lookup, settled'));
    expect(await node.cancelInvoice(paymentHash)).toBe('cancelled');
    expect(await node.cancelInvoice(paymentHash)).toBe('settled');
  });
});

describe('what LND has of hold invoices', () => {
  const channel = (incoming: boolean, hash: string) => ({ pending_htlcs: [{ incoming, amount: '7', hash_lock: toBase64(hash) }] });
  const toBase64 = (text: string) => Buffer.from(text, 'hex').toString('base64');

  it('is an invoice with its payment request, which may be cancelled', async () => {
    const { lnd, node } = await open();
    const { payment_request: paymentRequest } = bodyOf('lookup, open');
    lnd.on(path, responseTo('lookup, open'), responseTo('lookup, cancelled'));
    expect(await node.findHoldInvoice?.(paymentHash)).toEqual({ paymentRequest, isCancelled: false });
    expect(await node.findHoldInvoice?.(paymentHash)).toMatchObject({ isCancelled: true });
    lnd.on(path, recording('01-add-invoice', 'lookup unknown hash').response);
    expect(await node.findHoldInvoice?.(paymentHash)).toBeUndefined();
  });

  it('are payments that wait, with their amount and the blocks that are left', async () => {
    const { lnd, node } = await open();
    lnd.on('GET /v1/getinfo', { body: { block_height: 128 } });
    // LND claims the payment of an invoice whose preimage it has.
    const claimed = { ...bodyOf('lookup, accepted'), r_preimage: bodyOf('lookup, settled').r_preimage };
    const invoices = [bodyOf('lookup, open'), claimed, bodyOf('lookup, accepted')];
    lnd.on('GET /v1/invoices', { body: { invoices, last_index_offset: '2' } });
    const { payment_request: paymentRequest } = bodyOf('lookup, accepted');
    expect(await node.listHeldPayments?.()).toEqual([{ paymentHash, paymentRequest, amountMsat: 7001, blocksLeft: 83 }]);
  });

  it('is an HTLC in a channel after the invoice is cancelled, until it has left', async () => {
    const { lnd, node } = await open();
    const other = '00'.repeat(32);
    lnd.on(
      'GET /v1/channels',
      { body: { channels: [channel(true, other), channel(true, paymentHash)] } },
      { body: { channels: [channel(true, other), channel(false, paymentHash)] } },
    );
    expect(await node.hasHtlcOf?.(paymentHash)).toBe(true);
    expect(await node.hasHtlcOf?.(paymentHash)).toBe(false);
  });
});

describe('hold invoices', () => {
  it('are offered only with a macaroon that permits them', () => {
    expect(permitsHoldInvoices(Buffer.from('0200', 'hex'))).toBe(false);
    expect(permitsHoldInvoices(Buffer.from('not a macaroon'))).toBe(false);
  });

  it.each([
    ['0.18.5-beta', false],
    ['0.19.1-beta commit=v0.19.1-beta', false],
    ['0.19.2-beta.rc1', true],
    ['0.20.0-beta', true],
    ['0.21.99-beta commit=v0.21.2-beta-123-g90ea05d5a', true],
    ['0.100.0-beta', true],
    ['1.0.0', true],
    ['a development version', true],
  ])('endanger the channels of LND %s: %s', (version, isRisky) => {
    const reported = { ...(recording('11-balances', 'GetInfo').response.body as GetInfoResponse), version };
    const address = parseLndUrl('lnd+rest://127.0.0.1:8080?macaroon=/m');
    const { capabilities, holdInvoiceRisk } = toNodeInfo(reported, address, true);
    expect(capabilities.holdInvoices).toBe(true);
    expect(holdInvoiceRisk !== undefined).toBe(isRisky);
  });
});
