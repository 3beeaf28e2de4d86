import { describe, expect, it } from 'vitest';
import { msat } from '../../../src/core/kernel/money.ts';
import { LndError } from '../../../src/core/lightning/lnd/errors.ts';
import { paymentHashOf } from '../../../src/core/lightning/payment-hash.ts';
import { type Recording, recording } from './recordings.ts';
import { scriptedLnd } from './scripted-lnd.ts';

const open = scriptedLnd();

const CREATED = recording('01-add-invoice', 'given preimage, value_msat with msat part, memo, expiry');
const EXISTS = recording('01-add-invoice', 'same preimage again, same fields');
const LOOKUP = recording('01-add-invoice', 'lookup of it (GET /v1/invoice/<hex hash>)');
const UNKNOWN = recording('01-add-invoice', 'lookup unknown hash').response;

const hex = (base64: unknown) => Buffer.from(String(base64), 'base64').toString('hex');
const preimage = hex(CREATED.request.body?.r_preimage);
const request = { preimage, amountMsat: msat(1_234_567), description: 'a coffee', expirySeconds: 3600 };
const paymentRequest = (CREATED.response.body as { payment_request: string }).payment_request;
const path = `/v1/invoice/${paymentHashOf(preimage)}`;

/** A recorded invoice with another state. */
function invoiceIn(state: string) {
  return { body: { ...(LOOKUP.response.body as object), state } };
}

describe('LND creates an invoice', () => {
  it('with the preimage and the exact amount', async () => {
    const { lnd, node } = await open();
    lnd.replay(CREATED);
    expect(await node.createInvoice(request)).toEqual({ paymentRequest });
    expect(lnd.sent('/v1/invoices')[0]?.body).toEqual({ ...CREATED.request.body, private: false });
  });

  it('without an amount, and with the hash of a description instead of the text', async () => {
    const { lnd, node } = await open();
    lnd.replay(CREATED);
    await node.createInvoice({ preimage, description: 'long text', descriptionHash: 'ff'.repeat(32), expirySeconds: 60 });
    const { body = {} } = lnd.sent('/v1/invoices')[0] ?? {};
    expect(body).not.toHaveProperty('value_msat');
    expect(body).not.toHaveProperty('memo');
    expect(body.description_hash).toBe(Buffer.from('ff'.repeat(32), 'hex').toString('base64'));
  });

  it('with hints to private channels if the URL asks for them', async () => {
    const { lnd, node } = await open({ parameters: '&private=true' });
    lnd.replay(CREATED);
    await node.createInvoice(request);
    expect(lnd.sent('/v1/invoices')[0]?.body).toMatchObject({ private: true });
  });

  it('once for a preimage: after a lost response, the same invoice is returned', async () => {
    const { lnd, node } = await open();
    lnd.replay(EXISTS, LOOKUP);
    expect(await node.createInvoice(request)).toEqual({ paymentRequest });
  });

  it('never with an expiry of 0, which LND takes as 24 hours', async () => {
    const { lnd, node } = await open();
    await expect(node.createInvoice({ ...request, expirySeconds: 0 })).rejects.toThrow('at least one second');
    expect(lnd.requests).toEqual([]);
  });

  it.each(['memo 640 bytes', 'memo 1025 bytes', 'expiry over a year', 'over 100k BTC', 'negative value_msat', 'preimage of 31 bytes'])(
    'and an error that it does not know is passed on: %s',
    async (name) => {
      const { lnd, node } = await open();
      lnd.replay(recording('01-add-invoice', name));
      await expect(node.createInvoice(request)).rejects.toThrow(LndError);
    },
  );
});

describe('LND cancels an invoice', () => {
  const CANCEL = 'POST /v2/invoices/cancel';
  const hash = paymentHashOf(preimage);
  const recorded = (name: string): Recording => recording('06-cancel-invoice', name);

  it.each(['open', 'already cancelled', 'expired (cancelled by the node itself)', 'accepted hold invoice: it cancels the HTLC too'])(
    '%s: cancelled',
    async (name) => {
      const { lnd, node } = await open();
      lnd.on(CANCEL, recorded(name).response);
      expect(await node.cancelInvoice(hash)).toBe('cancelled');
      expect(lnd.sent('/v2/invoices/cancel')[0]?.body).toEqual({ payment_hash: Buffer.from(hash, 'hex').toString('base64') });
    },
  );

  it('the error code is the same for all reasons, so the state of the invoice decides', async () => {
    expect(recorded('settled').response.status).toBe(recorded('unknown').response.status);
    const { lnd, node } = await open();
    lnd.on(CANCEL, recorded('settled').response).on(`GET ${path}`, invoiceIn('SETTLED'));
    expect(await node.cancelInvoice(hash)).toBe('settled');
    lnd.on(CANCEL, recorded('unknown').response).on(`GET ${path}`, UNKNOWN);
    expect(await node.cancelInvoice(hash)).toBe('unknown');
    lnd.on(CANCEL, recorded('settled').response).on(`GET ${path}`, invoiceIn('CANCELED'));
    expect(await node.cancelInvoice(hash)).toBe('cancelled');
    lnd.on(CANCEL, recorded('settled').response).on(`GET ${path}`, invoiceIn('ACCEPTED'));
    expect(await node.cancelInvoice(hash)).toBe('accepted');
  });

  it('throws when LND did not cancel an invoice that is open', async () => {
    const { lnd, node } = await open();
    lnd.on(CANCEL, { status: 500, body: { code: 2, message: 'something new', details: [] } }).on(`GET ${path}`, invoiceIn('OPEN'));
    await expect(node.cancelInvoice(hash)).rejects.toThrow('something new');
  });
});

describe('LND looks an invoice up', () => {
  const hash = paymentHashOf(preimage);

  it.each([
    ['OPEN', { state: 'open' }],
    ['ACCEPTED', { state: 'accepted' }],
    ['CANCELED', { state: 'cancelled' }],
  ])('%s', async (state, expected) => {
    const { lnd, node } = await open();
    lnd.on(`GET ${path}`, invoiceIn(state));
    expect(await node.lookupInvoice(hash)).toEqual(expected);
  });

  it('a settled keysend, with the amount that arrived', async () => {
    const { lnd, node } = await open();
    const keysend = recording('02-watch', 'lookup of a settled keysend by hash');
    lnd.replay(keysend);
    const { r_hash, r_preimage } = keysend.response.body as { r_hash: string; r_preimage: string };
    expect(await node.lookupInvoice(hex(r_hash))).toEqual({ state: 'settled', amountMsat: 7777, preimage: hex(r_preimage) });
  });

  it('an unknown hash', async () => {
    const { lnd, node } = await open();
    lnd.on(`GET ${path}`, UNKNOWN);
    expect(await node.lookupInvoice(hash)).toBeUndefined();
  });
});

describe('LND reports', () => {
  it('its identity, version and channels', async () => {
    const { node } = await open();
    expect(await node.info()).toEqual({
      pubkey: '03509e639362f56c2a1c9fbd42fb326fb4eb3e00aae0d38c11de9b7404b9cffbec',
      alias: 'alice',
      network: 'regtest',
      software: 'LND 0.21.2-beta',
      channels: { active: 1, inactive: 0 },
      chain: { blockHeight: expect.any(Number), isSynced: true, tipAt: expect.any(Number) },
      capabilities: { sendsKeysend: true, receivesKeysend: false, guards: 'none', descriptionHashWithoutText: true, holdInvoices: false },
      cannotSend: undefined,
      advice: [expect.stringContaining('store-final-htlc-resolutions=true')],
    });
  });

  const info = recording('11-balances', 'GetInfo').response.body as object;

  it('whether it accepts keysends, by the feature that it announces; the URL states whether it holds them', async () => {
    const { lnd, node } = await open({ parameters: '&keysends=held' });
    lnd.on('GET /v1/getinfo', { body: { ...info, features: { '55': { name: 'keysend' } } } });
    expect((await node.info()).capabilities).toMatchObject({ receivesKeysend: true, guards: 'keysends' });
  });

  it('what its operator should change: resolutions that it does not store, and held keysends in versions in which they break channels', async () => {
    const advised = async (body: object, parameters: string) => {
      const { lnd, node } = await open({ parameters });
      lnd.on('GET /v1/getinfo', { body: { ...info, ...body } });
      return (await node.info()).advice ?? [];
    };
    const stored = { store_final_htlc_resolutions: true };
    const resolutions = expect.stringContaining('store-final-htlc-resolutions=true');
    const held = expect.stringContaining('remove keysend-hold-time');
    expect(await advised({}, '')).toEqual([resolutions]);
    expect(await advised({}, '&keysends=held')).toEqual([resolutions, held]);
    expect(await advised({ ...stored, version: '0.19.2-beta' }, '&keysends=held')).toEqual([held]);
    expect(await advised({ ...stored, version: '0.19.1-beta' }, '&keysends=held')).toEqual([]);
    expect(await advised(stored, '')).toEqual([]);
  });

  it.each([
    [{ version: '0.18.3-beta commit=v0.18.3-beta' }, 'LND 0.18.3-beta is too old: update it to 0.18.4 or newer'],
    [{ version: '0.9.0-beta' }, 'LND 0.9.0-beta is too old'],
    [{ chains: [{ chain: 'bitcoin', network: 'simnet' }] }, 'the network simnet, which this service does not support'],
  ])('what it cannot be used for: %j', async (change, reason) => {
    const { lnd, node } = await open();
    lnd.on('GET /v1/getinfo', { body: { ...info, ...change } });
    await expect(node.info()).rejects.toThrow(reason);
  });

  it.each(['0.18.4-beta', '0.19.0-beta.rc1', '0.21.2-beta', '1.0.0', 'a development version'])(
    'version %s as new enough',
    async (version) => {
      const { lnd, node } = await open();
      lnd.on('GET /v1/getinfo', { body: { ...info, version } });
      expect((await node.info()).software).toBe(`LND ${version.split(' ')[0]}`);
    },
  );

  it('mainnet as bitcoin', async () => {
    const { lnd, node } = await open();
    lnd.on('GET /v1/getinfo', { body: { ...info, chains: [{ network: 'mainnet' }] } });
    expect((await node.info()).network).toBe('bitcoin');
  });
});

describe("LND's balance", () => {
  /** Opens a node of which no channel is closing. */
  async function openWithoutClosing() {
    const opened = await open();
    opened.lnd.on('GET /v1/channels/pending', { body: {} });
    return opened;
  }

  it('contains outgoing HTLCs and the commitment fee of channels that we opened, but no incoming HTLC and no dust', async () => {
    const { lnd, node } = await openWithoutClosing();
    const balance = recording('11-balances', 'ChannelBalance: 70,000 + 1,000 fee out, 90,000 in, both in flight');
    const channels = recording('11-balances', 'ListChannels meanwhile');
    lnd.replay(balance, channels);
    // local + outgoing HTLCs + 284 sat: 253 sat per 1,000 units of weight, times 1,124 units. `commit_fee` is 487.
    expect(await node.balance()).toMatchObject({ localMsat: 7_994_793_228 + 112_000 + 284_000 });
  });

  it('does not change when an HTLC is added, although the commitment fee does', async () => {
    const { lnd, node } = await openWithoutClosing();
    const [channel] = (recording('11-balances', 'ListChannels meanwhile').response.body as { channels: object[] }).channels;
    const at = async (local: number, out: number, htlcs: readonly object[]) => {
      const body = { local_balance: { msat: String(local) }, unsettled_remote_balance: { msat: String(out) } };
      lnd.on('GET /v1/balance/channels', { body });
      lnd.on('GET /v1/channels', { body: { channels: [{ ...channel, pending_htlcs: htlcs }] } });
      return (await node.balance()).localMsat;
    };
    // The amounts of "one outgoing HTLC of 100,000 sat (not dust): before, in flight, after".
    const before = await at(6_074_434_228, 0, []);
    expect(await at(5_974_391_228, 100_000_000, [{ incoming: false, amount: '100000', hash_lock: '' }])).toBe(before);
  });

  it('is read again when an HTLC changes between its two calls', async () => {
    const { lnd, node } = await openWithoutClosing();
    const body = (local: string) => ({ body: { local_balance: { msat: local }, unsettled_remote_balance: { msat: '0' } } });
    lnd.on('GET /v1/balance/channels', body('5000'), body('4000'), body('4000'));
    lnd.on('GET /v1/channels', { body: { channels: [] } });
    expect(await node.balance()).toMatchObject({ localMsat: 4000, closing: [] });
    expect(lnd.sent('/v1/balance/channels')).toHaveLength(3);
  });
});

describe('LND finds a route', () => {
  const carol = '03cf86e205d572d80c771ab463ed5fc4cf19fae9b49477f69f02e5a94148342beb';

  it('with its fees, and without a capacity, which LND replaces by the amount', async () => {
    const { lnd, node } = await open();
    lnd.replay(recording('12-routes', 'QueryRoutes amt_msat 100500 (amt 0)'));
    const [route] = (await node.queryRoutes?.({ destination: carol, amountMsat: msat(100_500) })) ?? [];
    expect(route).toMatchObject({ totalMsat: 101_500, feesMsat: 1_000, timeLock: 287 });
    expect(route?.hops.map(({ shortChannelId, capacitySat, feeMsat }) => ({ shortChannelId, capacitySat, feeMsat }))).toEqual([
      { shortChannelId: '126443837259776', capacitySat: undefined, feeMsat: 1_000 },
      { shortChannelId: '126443837325312', capacitySat: undefined, feeMsat: 0 },
    ]);
    expect(route?.hops.at(-1)).toMatchObject({ pubkey: carol, forwardMsat: 100_500, expiryHeight: 207 });
  });

  it.each(['unknown node', 'more than we have', 'fee limit 0'])('or none: %s', async (name) => {
    const { lnd, node } = await open();
    lnd.on(`GET /v1/graph/routes/${carol}/0`, recording('12-routes', name).response);
    expect(await node.queryRoutes?.({ destination: carol, amountMsat: msat(1000) })).toEqual([]);
  });

  it('never to itself, although LND returns a circular one', async () => {
    const { lnd, node } = await open();
    expect(await node.queryRoutes?.({ destination: (await node.info()).pubkey, amountMsat: msat(1000) })).toEqual([]);
    expect(lnd.sent('/v1/graph')).toEqual([]);
  });
});
