import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { type EventStream, openStream, type StreamOptions } from '../support/event-stream.ts';
import { countListeners } from '../support/listeners.ts';

const QUICK = { heartbeatMs: 50, checkMs: 50, stallMs: 200 };

onFakeNode(
  'a live stream of events',
  (service, dialect) => {
    const open = (path: string, options: StreamOptions = {}) =>
      openStream(service.client, path, { key: service.client.secretKey, ...options });
    const idsOf = ({ events }: EventStream) => events.map(({ id }) => id);
    const listed = async (path: string): Promise<Json[]> => service.client.get(path);

    async function twoWallets(): Promise<[TestWallet, TestWallet]> {
      return [await service.client.wallet(1000), await service.client.wallet()];
    }
    const move = (from: TestWallet, to: TestWallet, client = service.client) =>
      client.post(`/v1/wallet/${from.id}/transfer`, { dest_wallet_id: to.id, num_satoshis: 1 });

    it('sends new events as the list shows them, each with its id and name', async () => {
      const [a, b] = await twoWallets();
      const before = await listed(`/v1/wallet/${a.id}/events`);
      const stream = await open(`/v1/wallet/${a.id}/events`);
      await move(a, b);
      await move(b, a);
      await expect.poll(() => stream.events.length).toBe(2);
      const after = (await listed(`/v1/wallet/${a.id}/events`)).slice(before.length);
      expect(stream.events.map(({ data }) => ({ ...data, data: { wtx: { ...data.data.wtx, wal: 0 } } }))).toEqual(
        after.map((event) => ({ ...event, data: { wtx: { ...event.data.wtx, wal: 0 } } })),
      );
      expect(stream.events.map(({ id, name }) => [id, name])).toEqual(after.map(({ id, event }) => [id, event.name]));
      stream.close();
    });

    it('has the headers of a stream, and a first frame without an event from which a client resumes', async () => {
      const [a, b] = await twoWallets();
      const stream = await open(`/v1/wallet/${a.id}/events`);
      expect(Object.fromEntries(stream.response.headers)).toMatchObject({
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        'access-control-allow-origin': '*',
      });
      const [, cursor = ''] = /^retry: \d+\nid: (evt_\w+)\n\n$/.exec(stream.text()) ?? [];
      stream.close();
      await move(a, b);
      const resumed = await open(`/v1/wallet/${a.id}/events`, { headers: { 'last-event-id': cursor } });
      await expect.poll(() => resumed.events.map(({ name }) => name)).toEqual(['wallet_transfer_out']);
      resumed.close();
    });

    it('continues after `after` or Last-Event-ID, which takes precedence, without a gap or a repetition', async () => {
      const [a, b] = await twoWallets();
      for (let i = 0; i < 5; i++) await move(a, b);
      const path = `/v1/wallet/${a.id}/events`;
      const all = (await listed(path)).map(({ id }) => id);
      const fromFirst = await open(`${path}?after=${all[0]}`);
      const fromThird = await open(`${path}?after=${all[0]}`, { headers: { 'last-event-id': all[2] } });
      await move(a, b);
      const now = (await listed(path)).map(({ id }) => id);
      await expect.poll(() => idsOf(fromFirst)).toEqual(now.slice(1));
      await expect.poll(() => idsOf(fromThird)).toEqual(now.slice(3));
      for (const stream of [fromFirst, fromThird]) stream.close();
    });

    it('W7: misses and repeats nothing while events are booked all the time', async () => {
      const [a, b] = await twoWallets();
      const path = `/v1/wallet/${b.id}/events`;
      const start = (await listed(path)).at(-1)?.id;
      const oldest = start ?? (await listed('/v1/events?per-page=1'))[0].id;
      let isDone = false;
      const booking = Promise.all(
        [1, 2, 3].map(async () => {
          for (let i = 0; i < 40; i++) await move(a, b);
        }),
      ).then(() => {
        isDone = true;
      });
      const streams: EventStream[] = [];
      while (!isDone) streams.push(await open(`${path}?after=${oldest}`));
      await booking;
      const expected = (await service.client.list(`${path}?per-page=100&after=${oldest}`)).map(({ id }) => id);
      expect(expected.length).toBeGreaterThanOrEqual(120);
      for (const stream of streams) await expect.poll(() => idsOf(stream)).toEqual(expected);
      for (const stream of streams) stream.close();
    });

    it('filters by type and by wallet', async () => {
      const [a, b] = await twoWallets();
      const out = await open('/v1/events?type=wallet_transfer_out');
      const ofB = await open(`/v1/events?wallet_id=${b.id}`);
      await move(a, b);
      await move(b, a);
      await expect.poll(() => ofB.events.map(({ name }) => name)).toEqual(['wallet_transfer_in', 'wallet_transfer_out']);
      await expect.poll(() => out.events.map(({ data }) => data.data.wtx.wal.id)).toEqual([a.id, b.id]);
      for (const stream of [out, ofB]) stream.close();
    });

    it('shows a payment to a page that has only a read key in the address', async () => {
      const wallet = await service.client.wallet();
      const stream = await openStream(service.client, `/v1/wallet/${wallet.read}/events?type=wallet_receive&access-token=${wallet.read}`);
      const { id, payment_request } = await service.client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 5 });
      await service.net.outside.pay({ paymentRequest: payment_request });
      await expect.poll(() => stream.events.map(({ data }) => data.data.wtx.lnTx.id)).toEqual([id]);
      stream.close();
    });

    it('sends heartbeats', async () => {
      const [a, b] = await twoWallets();
      const stream = await open(`/v1/wallet/${a.id}/events`);
      await expect.poll(() => stream.text().match(/^:$/gm)?.length ?? 0).toBeGreaterThan(2);
      await move(a, b);
      await expect.poll(() => stream.events.length).toBe(1);
      stream.close();
    });

    it('ends when its key is revoked', async () => {
      const wallet = await service.client.wallet();
      const { key, id } = await service.client.post(`/v1/wallet/${wallet.id}/keys`, { kind: 'wallet_read' });
      const stream = await open(`/v1/wallet/${wallet.id}/events`, { key });
      const other = await open(`/v1/wallet/${wallet.id}/events`, { key: wallet.read });
      await service.client.request('DELETE', `/v1/wallet/${wallet.id}/keys/${id}`, { key: service.client.secretKey });
      await stream.ended;
      await service.net.outside.pay({
        paymentRequest: (await service.client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 5 })).payment_request,
      });
      await expect.poll(() => other.events.at(-1)?.name).toBe('wallet_receive');
      other.close();
    });

    it('begins with JSON errors: an unknown cursor, a wrong key, a wrong filter', async () => {
      const [a] = await twoWallets();
      const headers = { accept: 'text/event-stream', 'last-event-id': 'evt_nonsense' };
      const ask = (path: string, key: string | undefined, more: Record<string, string> = {}) =>
        service.client.request('GET', path, { key, headers: { accept: 'text/event-stream', ...more } });
      const { secretKey } = service.client;
      expect(await ask('/v1/events', secretKey, headers)).toMatchObject({ status: 410, body: { type: 'cursor_expired' } });
      expect(await ask('/v1/events', a.read)).toMatchObject({ status: 403, body: { type: 'forbidden' } });
      expect(await ask('/v1/events', undefined)).toMatchObject({ status: 401 });
      expect(await ask(`/v1/wallet/${a.id}/events`, service.neighbour.secretKey)).toMatchObject({ status: 404 });
      expect(await ask('/v1/events?type=wallet_recieve', secretKey)).toMatchObject({ status: 400, body: { type: 'validation_failed' } });
      expect(await countListeners(service.client)).toBe(0);
    });

    it('shows an account no event of another account', async () => {
      const [a, b] = await twoWallets();
      const stream = await openStream(service.neighbour, '/v1/events', { key: service.neighbour.secretKey });
      const own = await open('/v1/events');
      await move(a, b);
      await expect.poll(() => own.events.length).toBeGreaterThan(0);
      expect(stream.events).toEqual([]);
      for (const one of [stream, own]) one.close();
      await expect.poll(() => countListeners(service.client)).toBe(0);
    });

    it('answers HEAD without a stream', async () => {
      const { status, headers } = await service.client.request('HEAD', '/v1/events', {
        key: service.client.secretKey,
        headers: { accept: 'text/event-stream' },
      });
      expect(status).toBe(200);
      expect(headers.get('content-type')).toContain('application/json');
    });

    it('ends when the service stops, and is resumed afterwards', async () => {
      const [a, b] = await twoWallets();
      const path = `/v1/wallet/${a.id}/events`;
      const stream = await open(path);
      await move(a, b);
      await expect.poll(() => stream.events.length).toBe(1);
      await service.restart();
      await stream.ended;
      await move(a, b);
      const resumed = await open(path, { headers: { 'last-event-id': stream.events[0]?.id ?? '' } });
      await expect.poll(() => resumed.events.length).toBe(1);
      expect(await service.problems()).toEqual([]);
      resumed.close();
    });

    it.runIf(dialect === 'postgres')('has the events that another instance books', async () => {
      const another = await service.another();
      const [a, b] = await twoWallets();
      const streams = [await open(`/v1/wallet/${a.id}/events`), await openStream(another, `/v1/wallet/${a.id}/events`, { key: a.read })];
      for (let i = 0; i < 10; i++) await move(a, b, i % 2 ? another : service.client);
      const expected = (await listed(`/v1/wallet/${a.id}/events`)).slice(-10).map(({ id }) => id);
      for (const stream of streams) {
        await expect.poll(() => idsOf(stream)).toEqual(expected);
        stream.close();
      }
    });
  },
  {},
  {},
  QUICK,
);

onFakeNode(
  'the limits of live streams',
  (service) => {
    const bulky = { passThru: { text: 'x'.repeat(4000) }, num_satoshis: 1 };

    it('reject a stream beyond the number of a key, and accept one when another has ended', async () => {
      const [wallet, other] = [await service.client.wallet(), await service.client.wallet()];
      const open = (of: TestWallet) => openStream(service.client, `/v1/wallet/${of.id}/events`, { key: of.read });
      const streams = [await open(wallet), await open(wallet)];
      const headers = { accept: 'text/event-stream' };
      const refused = await service.client.request('GET', `/v1/wallet/${wallet.id}/events`, { key: wallet.read, headers });
      expect(refused).toMatchObject({ status: 429, body: { type: 'rate_limited', message: expect.stringContaining('live streams') } });
      expect((await service.client.request('GET', `/v1/wallet/${wallet.id}/events`, { key: wallet.read })).status).toBe(200);
      (await open(other)).close();
      streams[0]?.close();
      await expect.poll(async () => (await open(wallet).catch(() => undefined))?.close()).toBeUndefined();
      streams[1]?.close();
      await expect.poll(() => countListeners(service.client)).toBe(0);
    });

    it('W7: disconnect a client that reads nothing, without delaying others', async () => {
      const [a, b] = [await service.client.wallet(1000), await service.client.wallet()];
      const path = `/v1/wallet/${a.id}/events`;
      for (let i = 0; i < 100; i++) await service.client.post(`/v1/wallet/${a.id}/transfer`, { dest_wallet_id: b.id, ...bulky });
      const [first] = await service.client.get(`${path}?type=wallet_receive`);
      const { port } = new URL(service.client.url);
      const lazy = connect({ port: Number(port), host: '127.0.0.1', onread: { buffer: Buffer.alloc(1024), callback: () => false } });
      const closed = new Promise((resolve) => lazy.once('close', resolve));
      lazy.on('error', () => undefined);
      lazy.write(`GET ${path}?after=${first.id} HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nX-Api-Key: ${a.read}\r\n\r\n`);
      await expect.poll(() => countListeners(service.client)).toBe(1);
      const reader = await openStream(service.client, `${path}?after=${first.id}`, { key: a.admin });
      await expect.poll(() => reader.events.length).toBe(100);
      // More than the operating system buffers for a connection.
      const bodies = Array.from({ length: 900 }, () => ({ dest_wallet_id: b.id, ...bulky }));
      for (let i = 0; i < bodies.length; i += 10)
        await Promise.all(bodies.slice(i, i + 10).map((body) => service.client.post(`/v1/wallet/${a.id}/transfer`, body)));
      await expect.poll(() => reader.events.length).toBe(1000);
      await expect.poll(() => countListeners(service.client)).toBe(1);
      lazy.destroy();
      await closed;
      reader.close();
    });
  },
  { MAX_REQUESTS_AT_ONCE: '20' },
  {},
  QUICK,
);
