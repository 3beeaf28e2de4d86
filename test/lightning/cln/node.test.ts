import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { msat } from '../../../src/core/kernel/money.ts';
import { openCln } from '../../../src/core/lightning/cln/cln-node.ts';
import { parseJson } from '../../../src/core/lightning/cln/transport.ts';
import { HistoryChanged, type LightningNode, type NodeEvent, NodeUnavailable, type Position } from '../../../src/core/lightning/node.ts';
import { silentLog as log } from '../../support/ledger.ts';
import { type Answer, type Replay, recording, replayOnSocket, type Script } from './replay.ts';

const timing = { waitMs: 300, quietMs: 100, heartbeatMs: 50 };

async function replayed(script: Script = {}) {
  const replay = await replayOnSocket(script);
  return { replay, node: openCln({ url: replay.url, log, timing }) };
}

function resultOf(name: string): Record<string, never> {
  return (parseJson(recording(name).response) as { result: Record<string, never> }).result;
}

/** Serves the recorded invoices through their index, as lightningd does. `wait` responds while the counter is above the position. */
function invoicesByIndex(counter = 10): Script {
  const invoices = resultOf('listinvoices-index-updated').invoices as unknown as { updated_index: number }[];
  return {
    listinvoices: ({ start }) => ({ result: { invoices: invoices.filter((one) => one.updated_index >= Number(start)) } }) as Answer,
    wait: ({ subsystem, indexname, nextvalue }) => {
      const value = subsystem === 'invoices' && indexname === 'updated' ? counter : 0;
      if (Number(nextvalue) <= value) return { result: { subsystem, [String(indexname)]: value } };
      return new Promise<Answer>(() => undefined);
    },
  };
}

async function eventsOf(stream: AsyncIterable<NodeEvent>): Promise<NodeEvent[]> {
  const events: NodeEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

/** Returns the events until the adapter waits for the next change of the node. */
async function eventsUpToNow(replay: Replay, node: LightningNode, position?: Position): Promise<NodeEvent[]> {
  const aborter = new AbortController();
  const before = replay.waiting;
  let isEnded = false;
  const events = eventsOf(node.watch(position, aborter.signal)).finally(() => {
    isEnded = true;
  });
  events.catch(() => undefined);
  while (!isEnded && replay.waiting === before) await delay(1);
  aborter.abort();
  return events;
}

describe('the node', () => {
  it('reports what it is, and that it needs the text of descriptions and handles no keysends', async () => {
    const { node } = await replayed();
    expect(await node.info()).toEqual({
      pubkey: '02abf53fda2c8ace7e56d870d1d857ed2ca0345a671fbc5145b46de3372cb08fa3',
      alias: 'svc',
      network: 'regtest',
      software: 'Core Lightning v26.06.6',
      channels: { active: 2, inactive: 0 },
      chain: { blockHeight: expect.any(Number), isSynced: true },
      capabilities: { sendsKeysend: false, receivesKeysend: false, guards: 'none', descriptionHashWithoutText: false, holdInvoices: false },
    });
    expect(await node.keysend({} as never)).toEqual({ state: 'failed', reason: 'ERROR' });
  });

  it.each([
    [{ num_active_channels: 0 }, 'it has no active channel'],
    [{ warning_lightningd_sync: 'Still loading latest blocks from bitcoind.' }, 'it is still reading the blockchain'],
  ])('reports why it cannot send: %o', async (change, reason) => {
    const { node } = await replayed({ getinfo: { result: { ...resultOf('getinfo'), ...change } } });
    expect(await node.info()).toMatchObject({ cannotSend: reason, chain: { isSynced: !('warning_lightningd_sync' in change) } });
  });

  it('cannot send when the peers of all its channels are offline, which lightningd counts as active', async () => {
    const getinfo = { result: { ...resultOf('getinfo'), num_active_channels: 1 } };
    const { node } = await replayed({ getinfo, listpeerchannels: 'listpeerchannels-peer-away' });
    expect(await node.info()).toMatchObject({ channels: { active: 0, inactive: 1 }, cannotSend: 'it has no active channel' });
  });

  it('two simultaneous payments of one invoice stop a node with the plugin offers, so it is refused', async () => {
    const { replay, node } = await replayed({ help: { result: { help: [{ command: 'decode string' }] } } });
    await expect(node.info()).rejects.toThrow(NodeUnavailable);
    await expect(node.info()).rejects.toThrow('add the line disable-plugin=offers to the config of lightningd and restart it');
    replay.change({ help: { error: { code: -32601, message: 'Unknown command decode' } } });
    expect(await node.info()).toMatchObject({ alias: 'svc' });
  });

  it('needs no plugin autoclean', async () => {
    const { replay, node } = await replayed({ help: { error: { code: -32601, message: 'Unknown command autoclean-status' } } });
    expect(await node.info()).toMatchObject({ alias: 'svc' });
    expect(replay.calls.some(({ method }) => method === 'autoclean-status')).toBe(false);
  });

  it.each(['succeededpays', 'failedpays', 'paidinvoices', 'expiredinvoices'])('is refused if it deletes %s', async (name) => {
    const { autoclean } = resultOf('autoclean-status') as unknown as { autoclean: object };
    const { node } = await replayed({ 'autoclean-status': { result: { autoclean: { ...autoclean, [name]: { enabled: true } } } } });
    await expect(node.info()).rejects.toThrow(`remove autoclean-${name}-age from the config of lightningd`);
  });

  it('is refused if its version is too old', async () => {
    const { node } = await replayed({ getinfo: { result: { ...resultOf('getinfo'), version: 'v25.12.1' } } });
    await expect(node.info()).rejects.toThrow('the node runs Core Lightning v25.12.1; version 26.06 or later is required');
  });

  it('names a method that the rune does not permit', async () => {
    const { node } = await replayed({ 'autoclean-status': { error: { code: 1502, message: 'Not permitted: …' } } });
    await expect(node.info()).rejects.toThrow('the rune is invalid, or does not permit the method autoclean-status');
  });

  it('parses integers above 2^53 without loss', () => {
    const text = recording('listsendpays-complete').response;
    expect(parseJson(text)).toMatchObject({ result: { payments: [{ groupid: '4907895048428142516', amount_msat: 2_000_000 }] } });
    expect(parseJson('[9007199254740991, 9007199254740992, -9007199254740993, 1.5]')).toEqual([
      9007199254740991,
      '9007199254740992',
      '-9007199254740993',
      1.5,
    ]);
  });

  it('belongs to the ledger that claims it first', async () => {
    const { node } = await replayed();
    expect(await node.claimForLedger?.('lnd_one', undefined)).toBe('lnd_one');
    expect(await node.claimForLedger?.('lnd_two', undefined)).toBe('lnd_one');
    expect(await node.claimForLedger?.('lnd_two', 'lnd_one')).toBe('lnd_two');
  });
});

describe('the balance', () => {
  const channel = { state: 'CHANNELD_NORMAL', peer_connected: true, to_us_msat: 5_000 };
  const broken = { ...channel, state: 'AWAITING_UNILATERAL', to_us_msat: 7_000 };

  it('a restored backup breaks channels, which are not counted', async () => {
    const { node } = await replayed({ listpeerchannels: { result: { channels: [channel, broken, { ...channel, to_us_msat: 20 }] } } });
    expect(await node.balance()).toEqual({ localMsat: 5_020 });
  });

  it('includes a payment that has succeeded while its HTLC is removed, and one that has arrived', async () => {
    const out = { direction: 'out', payment_hash: 'aa', amount_msat: 300, state: 'RCVD_REMOVE_COMMIT' };
    const added = { ...out, payment_hash: 'cc', state: 'SENT_ADD_ACK_REVOCATION' };
    const arrived = { direction: 'in', payment_hash: 'bb', amount_msat: 40, state: 'SENT_REMOVE_HTLC' };
    const { replay, node } = await replayed({
      listpeerchannels: { result: { channels: [{ ...channel, htlcs: [out, added, arrived] }] } },
      listsendpays: { result: { payments: [{ status: 'complete', created_index: 1 }] } },
      listinvoices: { result: { invoices: [{ status: 'paid' }] } },
    });
    expect(await node.balance()).toEqual({ localMsat: 5_000 - 300 + 40 });
    replay.change({
      listsendpays: { result: { payments: [{ status: 'failed' }] } },
      listinvoices: { result: { invoices: [{ status: 'unpaid' }] } },
    });
    expect(await node.balance()).toEqual({ localMsat: 5_000 });
  });
});

describe('a route', () => {
  it('has absolute heights, and the fee of each forwarding node', async () => {
    const { node } = await replayed({ getroutes: 'getroutes' });
    const { params } = recording('getroutes');
    const [route] = (await node.queryRoutes?.({ destination: String(params.destination), amountMsat: msat(2_000_000) })) ?? [];
    expect(route).toMatchObject({ totalMsat: 2_001_020, feesMsat: 1_020, timeLock: 120 + 24 });
    expect(route?.hops).toEqual([
      expect.objectContaining({ shortChannelId: '124244814004224', forwardMsat: 2_000_000, feeMsat: 1_020, expiryHeight: 120 + 18 }),
      expect.objectContaining({ pubkey: params.destination, forwardMsat: 2_000_000, feeMsat: 0, expiryHeight: 120 + 18 }),
    ]);
  });

  it.each([205, 206])('does not exist for error %i', async (code) => {
    const { node } = await replayed({ getroutes: { error: { code, message: 'We could not find a usable set of paths.' } } });
    expect(await node.queryRoutes?.({ destination: '02', amountMsat: msat(1) })).toEqual([]);
  });
});

describe('the events', () => {
  it('are the paid invoices in the order of their updates; expired ones are skipped', async () => {
    const { replay, node } = await replayed(invoicesByIndex());
    const events = await eventsUpToNow(replay, node);
    const paid = (resultOf('listinvoices-index-updated').invoices as unknown as { status: string; payment_hash: string }[]).filter(
      ({ status }) => status === 'paid',
    );
    expect(events.map((event) => event.type === 'settlement' && event.paymentHash)).toEqual(paid.map((one) => one.payment_hash));
    expect(events[0]).toMatchObject({ amountMsat: 10_000_000, settledAt: 1_795_305_773, keysend: false, customRecords: {} });
    expect(new Set(events.map(({ position }) => position)).size).toBe(events.length);
    const again = await eventsUpToNow(replay, node, events.at(-3)?.position);
    expect(again).toEqual(events.slice(-2));
  });

  it('begin after the newest one for a new ledger, also if newer invoices have expired', async () => {
    const { replay, node } = await replayed(invoicesByIndex());
    const events = await eventsUpToNow(replay, node);
    expect(await node.newestSettlement?.()).toEqual(events.at(-1));
    const expired: Answer = { result: { invoices: [{ status: 'expired', updated_index: 1800, payment_hash: 'aa' }] } };
    const pages = invoicesByIndex(1800);
    replay.change({
      ...pages,
      listinvoices: (params) => (Number(params.start) > 1000 ? expired : (pages.listinvoices as (params: object) => Answer)(params)),
    });
    expect(await node.newestSettlement?.()).toEqual(events.at(-1));
  });

  it('have no newest one while no invoice is paid', async () => {
    const { node } = await replayed();
    expect(await node.newestSettlement?.()).toBeUndefined();
  });

  it('continue when the counter moves on without a record, because the invoice was deleted', async () => {
    const { replay, node } = await replayed({ ...invoicesByIndex(), listinvoices: { result: { invoices: [] } } });
    expect(await eventsUpToNow(replay, node)).toEqual([]);
    const waits = replay.calls.filter(({ method, params }) => method === 'wait' && params.nextvalue !== 0);
    expect(waits.map(({ params }) => params.nextvalue)).toEqual([1, 11]);
  });

  it('contain a keysend that the node has accepted, without its records', async () => {
    const { invoices } = resultOf('listinvoices-keysend') as unknown as { invoices: object[] };
    const keysend = { updated_index: 1, ...invoices[0], label: 'keysend-1795306000.1' };
    const { replay, node } = await replayed({
      listinvoices: ({ start }) => ({ result: { invoices: Number(start) <= 1 ? [{ ...keysend, updated_index: 1 }] : [] } }),
    });
    expect(await eventsUpToNow(replay, node)).toMatchObject([{ keysend: true, customRecords: {} }]);
  });

  it('fail when a heartbeat shows that the connection is dead, and end without an error when the node is closed', async () => {
    const { replay, node } = await replayed();
    const watching = eventsOf(node.watch(undefined, new AbortController().signal));
    await expect.poll(() => replay.calls.some(({ params }) => params.nextvalue === 1)).toBe(true);
    replay.change({ getinfo: 'lost' });
    await expect(watching).rejects.toThrow(NodeUnavailable);
    const other = eventsOf(node.watch(undefined, new AbortController().signal));
    await node.close();
    expect(await other).toEqual([]);
  });

  it('fail when lightningd closes the connection', async () => {
    const { replay, node } = await replayed();
    const watching = eventsOf(node.watch(undefined, new AbortController().signal));
    await expect.poll(() => replay.calls.some(({ params }) => params.nextvalue === 1)).toBe(true);
    replay.stop();
    await expect(watching).rejects.toThrow(NodeUnavailable);
  });

  it('of payments are the hashes of the rows that change from now on', async () => {
    const { replay, node } = await replayed();
    const hashes: string[] = [];
    const aborter = new AbortController();
    const hasWaitedAfter = (change: number) => () => replay.calls.some(({ params }) => Number(params.nextvalue) > change);
    const watching = (async () => {
      for await (const hash of node.watchPayments?.(aborter.signal) ?? []) hashes.push(hash);
    })();
    const changed = Promise.withResolvers<Answer>();
    replay.change({
      wait: ({ nextvalue }) =>
        nextvalue === 0 ? { result: { updated: 0 } } : nextvalue === 1 ? changed.promise : new Promise(() => undefined),
    });
    await expect.poll(hasWaitedAfter(0)).toBe(true);
    replay.change({ listsendpays: ({ start }) => (start === 1 ? 'listsendpays-failed-then-complete' : { result: { payments: [] } }) });
    changed.resolve({ result: { updated: 3 } });
    await expect.poll(hasWaitedAfter(1)).toBe(true);
    aborter.abort();
    await watching;
    expect(new Set(hashes)).toEqual(new Set(['c089bd6bfa668ffe4ea41a8373bd6fc2727d89e9c6225e6e7f9f3d84c320e163']));
  });
});

describe('a restored backup', () => {
  it('is noticed by a position whose invoice is gone or another one', async () => {
    const { replay, node } = await replayed(invoicesByIndex());
    const [first, second] = await eventsUpToNow(replay, node);
    const position = first?.position ?? '';
    expect(await node.knowsPosition(position)).toBe(true);
    const [index = '', proof, epoch = ''] = position.split('-');
    const secondProof = second?.position.split('-')[1];
    const others = [
      `9${position}`,
      `${position}0`,
      `${index}-${secondProof}-${epoch}`,
      `${index}-${proof}-00000000`,
      `0-${proof}-${epoch}`,
      '',
      'nonsense',
    ];
    for (const other of others) expect([other, await node.knowsPosition(other)]).toEqual([other, false]);
    await expect(eventsUpToNow(replay, node, others[0])).rejects.toThrow(HistoryChanged);
    replay.change({ listinvoices: { result: { invoices: [] } } });
    expect(await node.knowsPosition(position)).toBe(false);
  });

  it('is noticed by a position ahead of its own, for which lightningd reports no error', async () => {
    const { replay, node } = await replayed(invoicesByIndex());
    const last = (await eventsUpToNow(replay, node)).at(-1)?.position ?? '';
    replay.change(invoicesByIndex(3));
    replay.change({ listinvoices: { result: { invoices: [] } } });
    const another = openCln({ url: replay.url, log, timing });
    expect(await another.knowsPosition(last)).toBe(false);
  });

  it('is noticed because it has lost the epoch in the datastore', async () => {
    const { replay, node } = await replayed(invoicesByIndex());
    const [first] = await eventsUpToNow(replay, node);
    replay.loseDatastore();
    expect(await node.knowsPosition(first?.position ?? '')).toBe(false);
    await expect(eventsUpToNow(replay, node, first?.position)).rejects.toThrow(HistoryChanged);
    const [again] = await eventsUpToNow(replay, node);
    expect(again).toMatchObject({ type: 'settlement' });
    expect(again?.position).not.toBe(first?.position);
  });

  it.each([
    ['invoices', 'created'],
    ['invoices', 'updated'],
    ['sendpays', 'created'],
    ['sendpays', 'updated'],
  ])('is noticed by the counter of %s.%s, also before the first event', async (subsystem, index) => {
    const counters: Record<string, number> = { [`${subsystem}.${index}`]: 20 };
    const { replay, node } = await replayed({
      wait: ({ subsystem: one, indexname, nextvalue }) => {
        const value = counters[`${one}.${indexname}`] ?? 0;
        return Number(nextvalue) <= value ? { result: { [String(indexname)]: value } } : new Promise<Answer>(() => undefined);
      },
    });
    expect(await eventsUpToNow(replay, node)).toEqual([]);
    counters[`${subsystem}.${index}`] = 19;
    await expect(eventsUpToNow(replay, node)).rejects.toThrow(HistoryChanged);
    expect(await eventsUpToNow(replay, node)).toEqual([]);
  });
});
