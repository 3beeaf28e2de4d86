import { describe, expect, it } from 'vitest';
import type { LndInvoice } from '../../../src/core/lightning/lnd/invoices.ts';
import type { IncomingPayment } from '../../../src/core/lightning/node.ts';
import { recordings } from './recordings.ts';
import { type ScriptedLnd, scriptedLnd } from './scripted-lnd.ts';

const open = scriptedLnd();

const cases = recordings('15-keysend') as unknown as { case: string; body: LndInvoice; messages: { result: LndInvoice }[] }[];
const HELD = cases.find(({ case: name }) => name.endsWith('lookup while held'))?.body as LndInvoice;
const ANNOUNCED = { ...HELD, state: 'OPEN' as const, htlcs: [] };
const HASH = Buffer.from(HELD.r_hash, 'base64').toString('hex');
const NONE = { body: { invoices: [], last_index_offset: '0' } };

/** The channels of LND, one of which has the HTLCs of the keysend. */
function channelsWith({ active = true, index = HELD.htlcs[0]?.htlc_index, incoming = true } = {}) {
  return { body: { channels: [{ active, pending_htlcs: [{ incoming, hash_lock: HELD.r_hash, htlc_index: index, amount: '9' }] }] } };
}

/** LND announces a keysend, and accepts it a moment later. */
function announce(lnd: ScriptedLnd): void {
  lnd.on('GET /v1/invoices', NONE);
  lnd.on('GET /v1/invoices/subscribe', { messages: [{ result: ANNOUNCED }], ending: 'silence' });
  lnd.on(`GET /v1/invoice/${HASH}`, { body: ANNOUNCED }, { body: HELD });
  lnd.on('GET /v1/channels', channelsWith());
  lnd.on('POST /v2/invoices/settle', { body: {} }).on('POST /v2/invoices/cancel', { body: {} });
}

describe('a keysend that LND holds', () => {
  it('is settled if the guard claims it', async () => {
    const { lnd, node } = await open({ parameters: '&keysends=held' });
    announce(lnd);
    const seen: IncomingPayment[] = [];
    node.guardIncoming(async (incoming) => (seen.push(incoming) > 0 ? 'claim' : 'refuse'));
    await expect.poll(() => lnd.sent('/v2/invoices/settle').map(({ body }) => body)).toEqual([{ preimage: HELD.r_preimage }]);
    const customRecords = { '696969': Buffer.from('wal_1').toString('hex') };
    expect(seen).toEqual([{ paymentHash: HASH, amountMsat: 9_000, keysend: true, customRecords }]);
    expect(lnd.sent('/v2/invoices/cancel')).toEqual([]);
  });

  it.each([
    ['its channel is not active yet', channelsWith({ active: false })],
    ['its HTLC is in no channel', { body: { channels: [] } }],
    ['only another HTLC with the hash is in the channel', channelsWith({ index: '999999' })],
    ['only an outgoing HTLC with the hash is in the channel', channelsWith({ incoming: false })],
  ])('is not claimed while %s: LND may still fail it back', async (_name, channels) => {
    const { lnd, node } = await open({ parameters: '&keysends=held' });
    announce(lnd);
    lnd.on('GET /v1/channels', channels, channels, channelsWith());
    node.guardIncoming(async () => 'claim');
    await expect.poll(() => lnd.sent('/v1/channels').length).toBe(2);
    expect(lnd.sent('/v2/invoices/settle')).toEqual([]);
    await expect.poll(() => lnd.sent('/v2/invoices/settle').length).toBe(1);
    expect(lnd.sent('/v1/channels').length).toBe(3);
  });

  it('is returned to its payer if the guard refuses it', async () => {
    const { lnd, node } = await open({ parameters: '&keysends=held' });
    announce(lnd);
    node.guardIncoming(async () => 'refuse');
    await expect.poll(() => lnd.sent('/v2/invoices/cancel').map(({ body }) => body)).toEqual([{ payment_hash: HELD.r_hash }]);
    expect(lnd.sent('/v2/invoices/settle')).toEqual([]);
  });

  it('waits for a guard that fails', async () => {
    const { lnd, node } = await open({ parameters: '&keysends=held' });
    announce(lnd);
    let calls = 0;
    node.guardIncoming(async () => {
      if (calls++ < 2) throw new Error('the database does not answer');
      return 'claim';
    });
    await expect.poll(() => lnd.sent('/v2/invoices/settle').length).toBe(1);
    expect(calls).toBe(3);
  });

  it('is found if it arrived before the service started', async () => {
    const { lnd, node } = await open({ parameters: '&keysends=held' });
    announce(lnd);
    lnd.on('GET /v1/invoices/subscribe', { messages: [], ending: 'silence' });
    lnd.on('GET /v1/invoices', { body: { invoices: [HELD], last_index_offset: '1' } });
    node.guardIncoming(async () => 'claim');
    await expect.poll(() => lnd.sent('/v2/invoices/settle').length).toBe(1);
  });

  it('is not decided on after LND has returned it', async () => {
    const { lnd, node } = await open({ parameters: '&keysends=held' });
    announce(lnd);
    lnd.on(`GET /v1/invoice/${HASH}`, { body: ANNOUNCED }, { body: { ...HELD, state: 'CANCELED' } });
    let calls = 0;
    node.guardIncoming(async () => (calls++ < 0 ? 'refuse' : 'claim'));
    await expect.poll(() => lnd.sent(`/v1/invoice/${HASH}`).length).toBe(2);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(calls).toBe(0);
  });
});

describe('without keysends=held', () => {
  it('LND claims keysends itself, and invoices always: nothing is asked of a guard', async () => {
    const { lnd, node } = await open();
    announce(lnd);
    node.guardIncoming(async () => 'claim');
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(lnd.requests).toEqual([]);
  });
});
