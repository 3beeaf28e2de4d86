import { describe, expect, it } from 'vitest';
import type { LndInvoice } from '../../../src/core/lightning/lnd/invoices.ts';
import { HistoryChanged, type LightningNode, type NodeEvent } from '../../../src/core/lightning/node.ts';
import { recording, recordings } from './recordings.ts';
import { type ReceivedRequest, type ScriptedLnd, type ScriptedResponse, scriptedLnd } from './scripted-lnd.ts';

const open = scriptedLnd();

/** The messages of a recorded stream: open and settled invoices of every kind. */
const LIVE = (recordings('02-watch')[0] as unknown as { messages: { result: LndInvoice }[] }).messages;
const SETTLED = LIVE.filter(({ result }) => result.state === 'SETTLED');
const SUBSCRIBE = 'GET /v1/invoices/subscribe';

const hex = (base64: string) => Buffer.from(base64, 'base64').toString('hex');
const positionOf = ({ result }: { result: LndInvoice }) => `${result.settle_index}:${hex(result.r_hash)}`;
const at = (i: number) => SETTLED.at(i) as { result: LndInvoice };

/** A settlement at another index of the node. */
function renumbered({ result }: { result: LndInvoice }, index: number): { result: LndInvoice } {
  return { result: { ...result, settle_index: String(index) } };
}

/** Answers lookups and lists with these invoices. */
function withInvoices(lnd: ScriptedLnd, invoices: readonly { result: LndInvoice }[]): void {
  for (const { result } of invoices) lnd.on(`GET /v1/invoice/${hex(result.r_hash)}`, { body: result });
  lnd.on('GET /v1/invoices', ({ path }: ReceivedRequest): ScriptedResponse => {
    const isFirst = path.includes('index_offset=0');
    const page = isFirst ? invoices.map(({ result }) => result) : [];
    return { body: { invoices: page, last_index_offset: isFirst ? '99' : '0', first_index_offset: '0' } };
  });
}

async function readUntil(node: LightningNode, position: string | undefined, count: number): Promise<NodeEvent[]> {
  const events: NodeEvent[] = [];
  for await (const event of node.watch(position, AbortSignal.timeout(20_000))) {
    if (events.push(event) === count) return events;
  }
  return events;
}

const NOT_FOUND = recording('01-add-invoice', 'lookup unknown hash').response;

describe('LND streams settlements', () => {
  it('from one before the position, and the first message must be the settlement of the position', async () => {
    const { lnd, node } = await open();
    withInvoices(lnd, SETTLED);
    lnd.on(SUBSCRIBE, { messages: SETTLED.slice(1), ending: 'silence' });
    const events = await readUntil(node, positionOf(at(1)), SETTLED.length - 2);
    expect(events.map(({ position }) => position)).toEqual(SETTLED.slice(2).map(positionOf));
    expect(lnd.sent('/v1/invoices/subscribe')[0]?.path).toBe(
      `/v1/invoices/subscribe?settle_index=${Number(at(1).result.settle_index) - 1}`,
    );
  });

  it('with the amount that arrived, the preimage and the records of the sender', async () => {
    const { lnd, node } = await open();
    withInvoices(lnd, SETTLED);
    lnd.on(SUBSCRIBE, { messages: SETTLED, ending: 'silence' });
    const events = await readUntil(node, positionOf(at(0)), SETTLED.length - 1);
    const keysend = events.find((event) => event.type === 'settlement' && event.keysend);
    expect(keysend).toEqual({
      type: 'settlement',
      position: '11:21d62142caf34836d7dfa761d32e24e1d882050ebd3232b1c1f477f351a421d0',
      paymentHash: '21d62142caf34836d7dfa761d32e24e1d882050ebd3232b1c1f477f351a421d0',
      preimage: 'c4499a8cd54552dab785b092eba9fdc64f13bec48452a91478b9115daf8f60ea',
      amountMsat: 7777,
      htlcs: '126443837259776:16:7777',
      settledAt: 1_795_306_171,
      keysend: true,
      customRecords: { '696969': Buffer.from('wal_x').toString('hex') },
    });
    const overpaid = events.find((event) => event.type === 'settlement' && event.amountMsat === 15_000);
    expect(overpaid).toMatchObject({ keysend: false, customRecords: {} });
  });

  it('once, without the invoices that are only created, in the order of the node', async () => {
    const { lnd, node } = await open();
    withInvoices(lnd, SETTLED);
    expect(LIVE.length).toBeGreaterThan(SETTLED.length);
    const start = LIVE.findIndex(({ result }) => result.state === 'SETTLED');
    const repeated = [...LIVE.slice(start), at(-1), at(-2)];
    lnd.on(SUBSCRIBE, { messages: repeated, ending: 'end' });
    const events: NodeEvent[] = [];
    const reading = (async () => {
      for await (const event of node.watch(positionOf(at(0)), AbortSignal.timeout(20_000))) events.push(event);
    })();
    await expect(reading).rejects.toThrow('LND ended the stream /v1/invoices/subscribe');
    expect(events.map(({ position }) => position)).toEqual(SETTLED.slice(1).map(positionOf));
  });

  it('from the first one on, which LND never repeats: from the list, then from the stream', async () => {
    const { lnd, node } = await open();
    const known = [at(0), at(1)].map((invoice, i) => renumbered(invoice, i + 1));
    const next = renumbered(at(2), 3);
    withInvoices(
      lnd,
      [at(2), ...known].map((invoice) => (known.includes(invoice) ? invoice : { result: { ...invoice.result, state: 'OPEN' } })),
    );
    lnd.on(SUBSCRIBE, { messages: [known[1], next], ending: 'silence' });
    const events = await readUntil(node, undefined, 3);
    expect(events.map(({ position }) => position)).toEqual([...known, next].map(positionOf));
  });

  it('of a node that has none yet: the stream only wakes the reader, and the list decides', async () => {
    const { lnd, node } = await open({ timing: { heartbeatMs: 60_000, answerMs: 60_000 } });
    const [first, second] = [renumbered(at(0), 1), renumbered(at(1), 2)];
    withInvoices(lnd, []);
    const streams: Record<string, ScriptedResponse> = {
      'settle_index=0': { messages: [first], ending: 'silence' },
      'settle_index=1': { messages: [second], ending: 'silence' },
    };
    lnd.on(SUBSCRIBE, async ({ path }) => {
      withInvoices(lnd, [first, second].slice(0, lnd.sent('/v1/invoices/subscribe').length));
      return streams[path.split('?')[1] ?? ''] ?? {};
    });
    expect((await readUntil(node, undefined, 2)).map(({ position }) => position)).toEqual([positionOf(first), positionOf(second)]);
  });
});

describe("LND's newest settlement", () => {
  it('is that with the highest index, not that of the newest invoice', async () => {
    const { lnd, node } = await open();
    withInvoices(lnd, [renumbered(at(0), 7), renumbered(at(1), 9), renumbered(at(2), 8), ...LIVE.slice(0, 1)]);
    expect((await node.newestSettlement?.())?.position).toBe(positionOf(renumbered(at(1), 9)));
    withInvoices(lnd, LIVE.slice(0, 1));
    expect(await node.newestSettlement?.()).toBeUndefined();
  });
});

describe('LND does not have the settlement of a position', () => {
  it.each([
    ['after it was restored to before the invoice', NOT_FOUND],
    ['after it was restored to before the payment', { body: { ...at(1).result, state: 'OPEN', settle_index: '0' } }],
    ['after it was restored and has settled others', { body: { ...at(1).result, settle_index: '5' } }],
  ])('%s', async (_, response) => {
    const { lnd, node } = await open();
    lnd.on(`GET /v1/invoice/${hex(at(1).result.r_hash)}`, response as ScriptedResponse);
    expect(await node.knowsPosition(positionOf(at(1)))).toBe(false);
    await expect(readUntil(node, positionOf(at(1)), 1)).rejects.toThrow(HistoryChanged);
    expect(lnd.sent('/v1/invoices/subscribe')).toEqual([]);
  });

  it('if the stream begins with another settlement', async () => {
    const { lnd, node } = await open();
    withInvoices(lnd, SETTLED);
    lnd.on(SUBSCRIBE, { messages: [at(2)], ending: 'silence' });
    await expect(readUntil(node, positionOf(at(1)), 1)).rejects.toThrow(HistoryChanged);
  });

  it.each(['nonsense', '', '0:00', '-1', '12', '1:zz', `1:${'0'.repeat(64)}0`])('if it is no position: %j', async (position) => {
    const { lnd, node } = await open();
    expect(await node.knowsPosition(position)).toBe(false);
    await expect(readUntil(node, position, 1)).rejects.toThrow(HistoryChanged);
    expect(lnd.requests).toEqual([]);
  });
});

describe('a stream is broken', () => {
  it('if LND does not repeat the known settlement: it is silent for a position ahead of its own', async () => {
    const { lnd, node } = await open();
    withInvoices(lnd, SETTLED);
    lnd.on(SUBSCRIBE, { messages: [], ending: 'silence' });
    await expect(readUntil(node, positionOf(at(1)), 1)).rejects.toThrow('did not repeat the settlement at the known position');
  });

  it.each([
    ['a heartbeat is not answered', { messages: [], ending: 'silence' }, 'did not answer GET /v1/state'],
    ['LND is locked', { body: { state: 'LOCKED' } }, 'LND is in state LOCKED'],
  ] as [string, ScriptedResponse, string][])('if %s, although the stream stays open', async (_, response, reason) => {
    const { lnd, node } = await open();
    withInvoices(lnd, SETTLED);
    lnd.on(SUBSCRIBE, { messages: SETTLED.slice(1), ending: 'silence' });
    lnd.on('GET /v1/state', response);
    await expect(readUntil(node, positionOf(at(1)), 99)).rejects.toThrow(reason);
    await expect(
      (async () => {
        lnd.on('GET /v2/router/payments', { messages: [], ending: 'silence' });
        for await (const _hash of node.watchPayments?.(AbortSignal.timeout(20_000)) ?? []);
      })(),
    ).rejects.toThrow(reason);
  });

  it.each(['end', 'reset'] as const)('if it ends, also without an error (%s)', async (ending) => {
    const { lnd, node } = await open();
    withInvoices(lnd, SETTLED);
    lnd.on(SUBSCRIBE, { messages: SETTLED.slice(1), ending });
    await expect(readUntil(node, positionOf(at(1)), 99)).rejects.toThrow();
  });
});

it('LND streams the hashes of payments that have ended', async () => {
  const { lnd, node } = await open();
  const payments = (recording('03-pay', 'success over two hops').response.messages ?? []).slice(-1);
  lnd.on('GET /v2/router/payments', { messages: payments, ending: 'silence' });
  for await (const paymentHash of node.watchPayments?.(AbortSignal.timeout(20_000)) ?? []) {
    expect(paymentHash).toBe('8557eb7dd0cde4e17550c0b41653fa720227f021bc8bdb35eb6c8b40a21d666f');
    break;
  }
  expect(lnd.sent('/v2/router/payments')[0]?.path).toBe('/v2/router/payments?no_inflight_updates=true');
});
