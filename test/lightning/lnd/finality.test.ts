import { describe, expect, it } from 'vitest';
import type { LndInvoice } from '../../../src/core/lightning/lnd/invoices.ts';
import type { LightningNode, SettlementFinality } from '../../../src/core/lightning/node.ts';
import { recordings } from './recordings.ts';
import { type ScriptedLnd, type ScriptedResponse, scriptedLnd } from './scripted-lnd.ts';

const open = scriptedLnd();

const LIVE = (recordings('02-watch')[0] as unknown as { messages: { result: LndInvoice }[] }).messages;
/** Received in three parts of 200,000 msat. */
const PARTS = LIVE.find(({ result }) => result.state === 'SETTLED' && result.htlcs.length === 3)?.result as LndInvoice;
const HASH = Buffer.from(PARTS.r_hash, 'base64').toString('hex');
const CHANNEL = '126443837259776';
const HTLC = `${CHANNEL}:13:200000`;
const EVENTS = 'GET /v2/router/htlcevents';
const LOOKUP = `GET /v1/htlc-resolution/${CHANNEL}/13`;

// The responses of LND 0.21.2: a resolution that it has stored, none yet, and without the setting store-final-htlc-resolutions.
const resolved = (settled: boolean): ScriptedResponse => ({ body: { settled, offchain: true } });
const UNRESOLVED: ScriptedResponse = { status: 404, body: { code: 5, message: 'htlc unknown', details: [] } };
const NOT_STORED: ScriptedResponse = {
  status: 503,
  body: { code: 14, message: 'cannot lookup with flag --store-final-htlc-resolutions=false', details: [] },
};

const SUBSCRIBED = { result: { incoming_channel_id: '0', incoming_htlc_id: '0', event_type: 'UNKNOWN', subscribed_event: {} } };
const finalEvent = (index: number, settled: boolean) => ({
  result: {
    incoming_channel_id: CHANNEL,
    outgoing_channel_id: '0',
    incoming_htlc_id: String(index),
    outgoing_htlc_id: '0',
    event_type: 'UNKNOWN',
    final_htlc_event: { settled, offchain: true },
  },
});

/** Lets LND report events after the beginning of its stream. */
function report(lnd: ScriptedLnd, ...events: unknown[]): void {
  lnd.on(EVENTS, { messages: [SUBSCRIBED, ...events], ending: 'silence' });
}

const finality = (node: LightningNode, waitMs = 0, htlcs: string | undefined = HTLC): Promise<SettlementFinality> =>
  node.settlementFinality({ paymentHash: HASH, htlcs }, waitMs);

describe('a settlement that LND has reported', () => {
  it.each([
    ['is final when LND has stored that its HTLC was settled', resolved(true), { state: 'final' }],
    ['never arrived when LND has stored that its HTLC was failed back', resolved(false), { state: 'failed' }],
    ['is unknown while LND has stored nothing', UNRESOLVED, { state: 'unknown', reason: 'LND has stored no resolution of its HTLC' }],
    [
      'is unknown if LND stores nothing',
      NOT_STORED,
      { state: 'unknown', reason: 'LND stores no resolutions: set store-final-htlc-resolutions=true' },
    ],
    ['is unknown after a response without the field', { body: { offchain: true } }, { state: 'unknown' }],
    ['is unknown after a response with text in the field', { body: { settled: 'true' } }, { state: 'unknown' }],
    ['is unknown after another error', { status: 500, body: { code: 2, message: 'permission denied', details: [] } }, { state: 'unknown' }],
    [
      'is unknown after a response of another program',
      { status: 404, body: { code: 5, message: 'Not Found', details: [] } },
      { state: 'unknown' },
    ],
  ])('%s', async (_name, response, expected) => {
    const { lnd, node } = await open();
    lnd.on(LOOKUP, response);
    expect(await finality(node)).toMatchObject(expected);
  });

  it.each([
    ['is final', true, { state: 'final' }],
    ['never arrived', false, { state: 'failed' }],
  ])('%s when LND reports so, even if it stores nothing, and is not looked up', async (_name, settled, expected) => {
    const { lnd, node } = await open();
    lnd.on(LOOKUP, NOT_STORED);
    report(lnd, finalEvent(13, settled));
    expect(await finality(node, 5000)).toEqual(expected);
    await expect.poll(() => finality(node)).toEqual(expected);
    expect(lnd.sent('/v1/htlc-resolution').length).toBeLessThan(2);
  });

  it('is unknown while LND reports only other HTLCs', async () => {
    const { lnd, node } = await open();
    lnd.on(LOOKUP, UNRESOLVED);
    report(
      lnd,
      finalEvent(12, true),
      { result: { ...finalEvent(13, true).result, incoming_channel_id: '1' } },
      { result: { settle_event: {} } },
    );
    expect(await finality(node, 300)).toMatchObject({ state: 'unknown' });
  });

  it('is looked up once when nothing is to be waited for', async () => {
    const { lnd, node } = await open();
    lnd.on(LOOKUP, UNRESOLVED);
    await finality(node);
    expect(lnd.sent('/v1/htlc-resolution')).toHaveLength(1);
  });

  it('is looked up again until the wait ends', async () => {
    const { lnd, node } = await open();
    lnd.on(LOOKUP, UNRESOLVED, UNRESOLVED, resolved(true));
    expect(await finality(node, 5000)).toEqual({ state: 'final' });
  });

  it('is final only when all its HTLCs are', async () => {
    const { lnd, node } = await open();
    lnd.on(`GET /v1/invoice/${HASH}`, { body: PARTS });
    const answer = (...responses: ScriptedResponse[]) =>
      responses.forEach((response, i) => void lnd.on(`GET /v1/htlc-resolution/${CHANNEL}/${13 + i}`, response));
    answer(resolved(true), UNRESOLVED, resolved(true));
    expect(await node.settlementFinality({ paymentHash: HASH }, 0)).toMatchObject({ state: 'unknown' });
    answer(resolved(true), resolved(true), resolved(true));
    expect(await node.settlementFinality({ paymentHash: HASH }, 0)).toEqual({ state: 'final' });
    answer(resolved(false), resolved(false), resolved(false));
    expect(await node.settlementFinality({ paymentHash: HASH }, 0)).toEqual({ state: 'failed' });
  });

  it('is worth the parts that arrived when LND has failed the others back', async () => {
    const { lnd, node } = await open();
    lnd.on(`GET /v1/invoice/${HASH}`, { body: PARTS });
    [resolved(true), resolved(false), resolved(true)].forEach(
      (response, i) => void lnd.on(`GET /v1/htlc-resolution/${CHANNEL}/${13 + i}`, response),
    );
    expect(await node.settlementFinality({ paymentHash: HASH }, 0)).toEqual({ state: 'final', amountMsat: 400_000 });
  });

  it.each([
    ['has no settled HTLC', { ...PARTS, htlcs: PARTS.htlcs.map((htlc) => ({ ...htlc, state: 'CANCELED' })) }],
    ['is not settled', { ...PARTS, state: 'OPEN' }],
  ])('is unknown if its invoice %s', async (_name, invoice) => {
    const { lnd, node } = await open();
    lnd.on(`GET /v1/invoice/${HASH}`, { body: invoice });
    expect(await node.settlementFinality({ paymentHash: HASH }, 0)).toMatchObject({ state: 'unknown' });
  });
});
