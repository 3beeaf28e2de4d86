import { once } from 'node:events';
import { EventSource } from 'eventsource';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ClientOptions, createClient, type EventOptions, type SatchelClient, SatchelError } from '../../client/satchel.js';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { countListeners } from '../support/listeners.ts';

const QUICK = { heartbeatMs: 50, checkMs: 50 };
const AT_ONCE = 60_000;

type CollectOptions = EventOptions & Partial<Pick<ClientOptions, 'url' | 'key' | 'fetch'>>;

onFakeNode(
  'the events of the client',
  (service) => {
    const { client } = service;
    const move = (from: TestWallet, to: TestWallet) =>
      client.post(`/v1/wallet/${from.id}/transfer`, { dest_wallet_id: to.id, num_satoshis: 1, passThru: { text: 'é🧡'.repeat(100) } });
    const listed = async (wallet: TestWallet): Promise<string[]> =>
      (await client.list(`/v1/wallet/${wallet.id}/events?per-page=100&type=wallet_transfer_out`)).map(({ id }: Json) => id);

    /** Collects the ids of events until there are as many, then stops. */
    async function collect({ url = client.url, key, fetch, ...options }: CollectOptions, count: number): Promise<string[]> {
      const ids: string[] = [];
      const types = ['wallet_transfer_out'] as const;
      const satchel = createClient({ url, ...(key !== undefined && { key }), ...(fetch && { fetch }) });
      for await (const { id } of satchel.events.stream({ types, ...options })) {
        ids.push(id);
        if (ids.length === count) break;
      }
      return ids;
    }

    /** Collects events, and returns when the stream has begun: it contains those from then on. */
    async function collectNew(options: CollectOptions, count: number): Promise<{ collected: Promise<string[]> }> {
      const begun = Promise.withResolvers<void>();
      const tellBegin: typeof fetch = async (...request) => {
        const response = await fetch(...request);
        begun.resolve();
        return response;
      };
      const collected = collect({ fetch: tellBegin, ...options }, count);
      await begun.promise;
      return { collected };
    }

    it('are those of a wallet, with a read key, and end with the iteration', async () => {
      const [a, b] = [await client.wallet(100), await client.wallet()];
      const { collected } = await collectNew({ key: a.read, wallet: a.id }, 3);
      expect(await countListeners(client)).toBe(1);
      for (let i = 0; i < 3; i++) await move(a, b);
      expect(await collected).toEqual(await listed(a));
      await expect.poll(() => countListeners(client)).toBe(0);
    });

    it('W7: are complete and not repeated when connections are cut at any byte', async () => {
      for (const [seed, maxBytes] of [
        [1, 6000],
        [2, 12_000],
        [3, 40_000],
      ] as const) {
        const [a, b] = [await client.wallet(100), await client.wallet()];
        await move(a, b);
        const [first = ''] = await listed(a);
        const proxy = await startCuttingProxy(client.url, seed, maxBytes);
        const collected = collect({ url: proxy.url, key: a.read, wallet: a.id, after: first }, 60);
        for (let i = 0; i < 60; i++) await move(a, b);
        expect(await collected).toEqual((await listed(a)).slice(1));
        expect(proxy.cuts()).toBeGreaterThan(1);
        await proxy.close();
      }
    });

    it('continue after a restart of the service', async () => {
      const [a, b] = [await client.wallet(100), await client.wallet()];
      const errors: unknown[] = [];
      const { collected } = await collectNew({ key: a.read, wallet: a.id, onDisconnect: (error) => errors.push(error) }, 2);
      // The first event comes while there is no connection, and the client has received none before.
      await service.restart();
      await move(a, b);
      await move(a, b);
      expect(await collected).toEqual(await listed(a));
      expect(errors.length).toBeGreaterThan(0);
    });

    it('end with the reason of an aborted signal, also between connections', async () => {
      const a = await client.wallet();
      const stop = new AbortController();
      const collected = collect({ key: a.read, wallet: a.id, signal: stop.signal }, 1);
      await expect.poll(() => countListeners(client)).toBe(1);
      stop.abort(new Error('stopped'));
      await expect(collected).rejects.toThrow('stopped');
      await expect.poll(() => countListeners(client)).toBe(0);
      await expect(collect({ key: a.read, signal: stop.signal }, 1)).rejects.toThrow('stopped');
      const late = new AbortController();
      const unreachable = collect(
        { url: 'http://127.0.0.1:1', key: a.read, signal: late.signal, onDisconnect: () => late.abort(new Error('late')) },
        1,
      );
      await expect(unreachable).rejects.toThrow('late');
    });

    it('throw an error that a repetition cannot change', async () => {
      const a = await client.wallet();
      const refusal = (options: CollectOptions) => collect({ key: a.read, wallet: a.id, ...options }, 1).catch((error) => error);
      for (const [options, type] of [
        [{ key: 'wakr_unknown' }, 'unauthorized'],
        [{ after: 'evt_unknown' }, 'cursor_expired'],
        [{ wallet: 'wal_unknown' }, 'not_found'],
      ] as const) {
        const error = await refusal(options);
        expect(error).toBeInstanceOf(SatchelError);
        expect(error).toMatchObject({ type });
      }
    });

    it('are read by an EventSource with the key in the address, which continues after a restart', async () => {
      const [a, b] = [await client.wallet(100), await client.wallet()];
      const source = new EventSource(`${client.url}/v1/wallet/${a.read}/events?access-token=${a.read}`);
      const ids: string[] = [];
      source.addEventListener('wallet_transfer_out', ({ lastEventId, data }) => {
        expect(JSON.parse(data).id).toBe(lastEventId);
        ids.push(lastEventId);
      });
      await once(source, 'open');
      await move(a, b);
      await expect.poll(() => ids.length).toBe(1);
      await service.restart();
      await move(a, b);
      await expect.poll(() => ids.length).toBe(2);
      expect(ids).toEqual(await listed(a));
      source.close();
    });

    it('of a status address end an EventSource after the final status', async () => {
      const a = await client.wallet();
      const { status_url, payment_request } = await client.post(`/v1/wallet/${a.id}/invoice`, { num_satoshis: 5 });
      const source = new EventSource(status_url);
      const statuses: string[] = [];
      source.onmessage = ({ data }) => void statuses.push(JSON.parse(data).status);
      await expect.poll(() => statuses).toEqual(['open']);
      await service.net.outside.pay({ paymentRequest: payment_request });
      await expect.poll(() => source.readyState).toBe(EventSource.CLOSED);
      expect(statuses).toEqual(['open', 'settled']);
    });
  },
  {},
  {},
  QUICK,
);

onFakeNode('waiting with the client', (service) => {
  let satchel: SatchelClient;
  beforeAll(() => {
    satchel = createClient({ url: service.client.url, key: service.client.secretKey });
  });
  const newInvoice = async () => satchel.invoices.create((await service.client.wallet()).id, { num_satoshis: 5 });

  it(
    'returns an invoice once it is paid, also after a restart of the service meanwhile',
    async () => {
      const { id, payment_request } = await newInvoice();
      const waiting = satchel.lightningTransactions.wait(id);
      await expect.poll(() => countListeners(service.client)).toBe(1);
      await service.restart();
      await expect.poll(() => countListeners(service.client)).toBe(1);
      await satchel.playground.pay({ payment_request });
      expect(await waiting).toMatchObject({ status: 'settled', num_satoshis: 5 });
    },
    AT_ONCE,
  );

  it(
    'returns a payment that failed, and an invoice that was cancelled',
    async () => {
      const { id } = await newInvoice();
      const cancelled = satchel.lightningTransactions.wait(id);
      await expect.poll(() => countListeners(service.client)).toBe(1);
      await satchel.invoices.cancel(id);
      expect((await cancelled).status).toBe('cancelled');

      const wallet = await service.client.wallet(1000);
      const held = await satchel.playground.createInvoice({ num_satoshis: 100, hold: true });
      const options = { headers: { prefer: 'respond-async' } };
      const { lnTx } = await satchel.wallets.withdraw(wallet.id, { payment_request: held.payment_request }, options);
      const failed = satchel.lightningTransactions.wait(lnTx?.id ?? '');
      await expect.poll(() => countListeners(service.client)).toBe(1);
      await service.client.decideHold(held.payment_hash, 'cancel');
      expect((await failed).status).toBe('failed');
      expect(await service.problems()).toEqual([]);
    },
    AT_ONCE,
  );

  it(
    'returns an open invoice at the timeout, and throws when it cannot succeed or is aborted',
    async () => {
      const { id } = await newInvoice();
      expect(await satchel.lightningTransactions.wait(id, { timeoutSeconds: 1 })).toMatchObject({ status: 'open' });
      await expect(satchel.lightningTransactions.wait('lntx_unknown')).rejects.toMatchObject({ type: 'not_found' });
      const stop = new AbortController();
      const waiting = satchel.lightningTransactions.wait(id, { signal: stop.signal });
      await expect.poll(() => countListeners(service.client)).toBe(1);
      stop.abort(new Error('stopped'));
      await expect(waiting).rejects.toThrow('stopped');
    },
    AT_ONCE,
  );
});

describe('events', () => {
  it('reads a byte order mark, and characters split between pieces', async () => {
    const bytes = new TextEncoder().encode('\uFEFFid: 1\ndata: {"id":"é🧡"}\n\n');
    const body = ReadableStream.from(Array.from(bytes, (byte) => Uint8Array.of(byte)));
    const ask = async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    for await (const event of createClient({ url: 'http://x', fetch: ask }).events.stream()) {
      expect(event).toEqual({ id: 'é🧡' });
      break;
    }
  });
});
