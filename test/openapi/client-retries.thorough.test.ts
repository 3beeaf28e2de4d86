import { afterEach, describe, expect, it, vi } from 'vitest';
import { type ClientResponse, ConnectionError, createClient, type SatchelClient, SatchelError } from '../../client/satchel.js';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';

/** Passes requests to the service. `after` sees each response, and may lose it by throwing. */
function clientWith(app: FakeNodeApp, after: (response: Response, sent: number) => void): { satchel: SatchelClient; keys: unknown[] } {
  const keys: unknown[] = [];
  const satchel = createClient({
    url: app.client.url,
    key: app.client.secretKey,
    async fetch(address, init) {
      const response = await fetch(address, init);
      keys.push(init.headers['idempotency-key']);
      after(response, keys.length);
      return response;
    },
  });
  return { satchel, keys };
}

const LOST = new TypeError('fetch failed');

async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

onFakeNode('a payment with the client', (app) => {
  const plain = () => createClient({ url: app.client.url, key: app.client.secretKey });
  const bill = () => app.net.outside.invoice({ amountMsat: 100_000 }).paymentRequest;

  it('is made once under one key when responses are lost', async () => {
    const wallet = await app.client.wallet(1000);
    const { satchel, keys } = clientWith(app, (_response, sent) => {
      if (sent <= 2) throw LOST;
    });
    const paid = await satchel.wallets.withdraw(wallet.id, { payment_request: bill() });
    expect(paid).toMatchObject({ status: 'settled', num_satoshis: -100 });
    expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
    expect((await plain().wallets.get(wallet.id)).balance).toBe(900);
    expect(await app.problems()).toEqual([]);
  });

  it('has an unknown outcome when all responses are lost, and the error has the key that repeats it', async () => {
    const wallet = await app.client.wallet(1000);
    const { satchel } = clientWith(app, () => {
      throw LOST;
    });
    const request = { payment_request: bill() };
    const error = await errorOf(satchel.wallets.withdraw(wallet.id, request, { maxRetries: 0 }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).not.toBeInstanceOf(SatchelError);
    const { idempotencyKey, cause } = error as ConnectionError;
    expect(cause).toBe(LOST);
    let replayed: string | null = null;
    const onResponse = ({ headers }: ClientResponse) => (replayed = headers.get('idempotency-replayed'));
    const options = { ...(idempotencyKey !== undefined && { idempotencyKey }), onResponse };
    expect(await plain().wallets.withdraw(wallet.id, request, options)).toMatchObject({ status: 'settled' });
    expect(replayed).toBe('true');
    expect((await plain().wallets.get(wallet.id)).balance).toBe(900);
  });

  it('is sent again after a 503 of the service, and then made once', async () => {
    const wallet = await app.client.wallet(1000);
    const statuses: number[] = [];
    const { satchel, keys } = clientWith(app, ({ status, headers }) => {
      app.connectionFailsAt = undefined;
      statuses.push(status);
      if (status === 503) expect(headers.get('retry-after')).toBe('1');
    });
    app.connectionFailsAt = (name) => name === 'idempotency_find';
    expect(await satchel.wallets.withdraw(wallet.id, { payment_request: bill() })).toMatchObject({ status: 'settled' });
    expect(statuses).toEqual([503, 201]);
    expect(new Set(keys).size).toBe(1);
    expect((await plain().wallets.get(wallet.id)).balance).toBe(900);
  });
});

onFakeNode(
  'requests above the rate limit',
  (app) => {
    it('succeed with the client, each once', async () => {
      const statuses: number[] = [];
      const { satchel } = clientWith(app, ({ status }) => statuses.push(status));
      await Promise.all(Array.from({ length: 8 }, (_, i) => satchel.wallets.create({ user_label: `w${i}` }, { maxRetries: 10 })));
      expect(statuses).toContain(429);
      const labels: string[] = [];
      for await (const { user_label } of satchel.wallets.list({ 'per-page': 4 })) labels.push(user_label);
      expect(labels.filter((label) => /^w\d$/.test(label)).toSorted()).toEqual(Array.from({ length: 8 }, (_, i) => `w${i}`));
    });
  },
  { RATE_LIMIT_PER_SECOND: '4', RATE_LIMIT_BURST: '2' },
);

/** A client whose requests get these responses in turn; the last one also answers further requests. */
function scripted(...script: Response[]): { satchel: SatchelClient; times: number[] } {
  const times: number[] = [];
  const satchel = createClient({
    url: 'http://satchel.example',
    key: 'sak_1',
    async fetch() {
      times.push(Date.now());
      return (script[times.length - 1] ?? script.at(-1) ?? Response.error()).clone();
    },
  });
  return { satchel, times };
}

const failure = (status: number, headers = {}) => Response.json({ type: 'rate_limited', message: 'too many', status }, { status, headers });
const wallet = () => Response.json({ id: 'wal_1' });

describe('the client', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    ['seconds', () => '7'],
    ['a date', () => new Date(Date.now() + 7_000).toUTCString()],
  ])('never sends a request again before Retry-After, given in %s', async (_form, retryAfter) => {
    vi.useFakeTimers({ now: 1_800_000_000_000 });
    const { satchel, times } = scripted(failure(429, { 'retry-after': retryAfter() }), wallet());
    const sent = satchel.wallets.get('wal_1');
    await vi.advanceTimersByTimeAsync(6_999);
    expect(times).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await sent).toEqual({ id: 'wal_1' });
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(7_000);
  });

  it('throws at once when Retry-After is longer than a minute', async () => {
    const { satchel, times } = scripted(failure(503, { 'retry-after': '61' }));
    await expect(satchel.wallets.get('wal_1')).rejects.toMatchObject({ status: 503, retryAfterSeconds: 61 });
    expect(times).toHaveLength(1);
  });

  it('waits longer after each failure', async () => {
    vi.useFakeTimers();
    const { satchel, times } = scripted(failure(500));
    const failed = errorOf(satchel.wallets.get('wal_1', {}, { maxRetries: 4 }));
    await vi.runAllTimersAsync();
    expect(await failed).toMatchObject({ status: 500 });
    const pauses = times.slice(1).map((time, i) => time - (times[i] ?? 0));
    for (const [i, ms] of pauses.entries()) {
      expect(ms).toBeGreaterThanOrEqual(250 * 2 ** i);
      expect(ms).toBeLessThanOrEqual(500 * 2 ** i);
    }
  });

  it.each([
    ['an error page', () => new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'content-type': 'text/html' } })],
    ['an error in JSON', () => Response.json({ message: 'Internal server error' }, { status: 502 })],
    ['a page with status 200', () => new Response('<h1>Log in</h1>', { headers: { 'content-type': 'text/html' } })],
    ['an incomplete response', () => new Response('{"id":"wtx_', { status: 201, headers: { 'content-type': 'application/json' } })],
    ['no body', () => new Response('', { status: 200 })],
  ])('never returns %s of a proxy as the result of a payment', async (_what, response) => {
    const { satchel, times } = scripted(response());
    const error = await errorOf(satchel.wallets.withdraw('wal_1', { payment_request: 'lnbc' }, { maxRetries: 0 }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ idempotencyKey: expect.stringMatching(/^[0-9a-f]{32}$/) });
    expect(times).toHaveLength(1);
  });

  it('takes the time limit and the number of retries of the client, and of a request before them', async () => {
    const limits: (number | undefined)[] = [];
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    const satchel = createClient({
      url: 'http://satchel.example',
      timeoutMs: 5_000,
      maxRetries: 0,
      async fetch() {
        limits.push(timeout.mock.lastCall?.[0]);
        throw LOST;
      },
    });
    await errorOf(satchel.wallets.get('wal_1'));
    vi.useFakeTimers();
    const second = errorOf(satchel.wallets.get('wal_1', {}, { timeoutMs: 7_000, maxRetries: 1 }));
    await vi.runAllTimersAsync();
    await second;
    timeout.mockRestore();
    expect(limits).toEqual([5_000, 7_000, 7_000]);
  });

  it.each(['', '.', '..', undefined, { id: 'wal_1' }])('rejects %j as an id, which would lead to another path', async (id) => {
    const { satchel, times } = scripted(wallet());
    await expect(satchel.wallets.get(id as string)).rejects.toThrow(TypeError);
    expect(times).toEqual([]);
  });
});
