import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PlaygroundServer, servePlayground } from '../../../devnet/playground/server.ts';
import { PlaygroundRefusal } from '../../../devnet/test-network.ts';
import { msat } from '../../../src/core/kernel/money.ts';
import { type IncomingGuard, type NodeEvent, NodeUnavailable } from '../../../src/core/lightning/node.ts';
import { collectLog, DEADLINE_MS, findEvent, newestPosition, newInvoice, payOutside, tempDir, until } from './support/open.ts';
import { clientsOfEachTest, responseTo, startChild } from './support/shared.ts';

const SECRET = 'a secret of the tests & more';
const client = clientsOfEachTest();
const serverLog = collectLog();
let server: PlaygroundServer;
let url: string;

beforeAll(async () => {
  server = await servePlayground({ dataDir: tempDir(), host: '127.0.0.1', port: 0, secret: SECRET, log: serverLog });
  url = `playground://127.0.0.1:${server.port}?secret=${encodeURIComponent(SECRET)}`;
});

afterAll(async () => {
  await server.close();
  expect(serverLog.lines.filter((line) => line.level !== 'info')).toEqual([]);
});

/** Returns the events after a position until there are `count` of them. */
async function take(events: AsyncIterable<NodeEvent>, count: number): Promise<NodeEvent[]> {
  const seen: NodeEvent[] = [];
  for await (const event of events) if (seen.push(event) === count) break;
  return seen;
}

describe('several clients of one playground', () => {
  it('use the same node, and each can pay, make invoices and receive its own responses', async () => {
    const clients = [client(url), client(url)];
    const infos = await Promise.all(clients.map(({ node }) => node.info()));
    expect(infos.map(({ pubkey }) => pubkey)).toEqual([server.hub, server.hub]);
    const paid = await Promise.all(
      clients.flatMap((each) => [payOutside(each, 'alice'), payOutside(each, 'alice', { amountMsat: 7_000 })]),
    );
    expect(paid.map(({ outcome }) => outcome.state)).toEqual(Array(4).fill('succeeded'));
    // Each client finds the payment of the other. Paying again sends nothing.
    const [first] = paid;
    expect(await clients[1]?.node.lookupPayment(first?.order ?? { paymentId: '', paymentHash: '' })).toEqual(first?.outcome);
    expect(await clients[1]?.node.pay(first?.order as never)).toEqual(first?.outcome);
    expect(await clients[0]?.node.lookupPayment({ paymentId: 'never used', paymentHash: '00'.repeat(32) })).toBeUndefined();
  });

  it('guard an invoice of any client, and each receives its settlement once, at the same position', async () => {
    const [one, two] = [client(url), client(url)];
    const from = await newestPosition(one);
    const guarded: string[] = [];
    two.node.guardIncoming(async ({ paymentHash }) => {
      guarded.push(paymentHash);
      return 'claim';
    });
    const watches = [one, two].map(({ node }) => take(node.watch(from, AbortSignal.timeout(DEADLINE_MS)), 3));
    const invoices = [await newInvoice(one.node), await newInvoice(two.node), await newInvoice(one.node)];
    for (const { paymentRequest } of invoices) await one.control.payInvoice({ paymentRequest, from: 'alice' });
    const [ones, twos] = await Promise.all(watches);
    expect(ones).toEqual(twos);
    expect(ones?.map((event) => event.type === 'settlement' && event.paymentHash)).toEqual(invoices.map((each) => each.paymentHash));
    expect(guarded).toEqual(invoices.map((each) => each.paymentHash));
  });

  it('all call their guards: the first decision counts, and later ones have no effect', async () => {
    const [one, two] = [client(url), client(url)];
    const late = Promise.withResolvers<'refuse'>();
    const lateAsked = Promise.withResolvers<void>();
    const lateGuard: IncomingGuard = () => {
      lateAsked.resolve();
      return late.promise;
    };
    one.node.guardIncoming(lateGuard);
    const { paymentRequest, paymentHash } = await newInvoice(one.node);
    const paying = two.control.payInvoice({ paymentRequest, from: 'alice' });
    await lateAsked.promise;
    // The guard is called for the payments that already wait.
    two.node.guardIncoming(async () => 'claim');
    expect(await paying).toMatchObject({ state: 'succeeded' });
    late.resolve('refuse');
    const settled = await findEvent(one.node, (event) => event.type === 'settlement' && event.paymentHash === paymentHash);
    expect(settled).toMatchObject({ amountMsat: 2_000 });
    expect(await one.node.cancelInvoice(paymentHash)).toBe('settled');
  });

  it('continue when one is killed while its guard is called', async () => {
    const one = client(url);
    const child = startChild(new URL('./support/shared-client.ts', import.meta.url).pathname, [url]);
    await child.line(/^guarding$/);
    const { paymentRequest, paymentHash } = await newInvoice(one.node);
    const paying = one.control.payInvoice({ paymentRequest, from: 'carol' });
    await child.line(new RegExp(paymentHash));
    await child.end('SIGKILL');
    one.node.guardIncoming(async () => 'claim');
    expect(await paying).toMatchObject({ state: 'succeeded' });
    expect((await payOutside(one, 'alice')).outcome.state).toBe('succeeded');
  });

  it('receive the errors of the playground', async () => {
    const { node, control } = client(url);
    await expect(control.payInvoice({ paymentRequest: 'lnbcrt1', from: 'alice' })).rejects.toThrow(PlaygroundRefusal);
    await expect(newInvoice(node, msat(-1))).rejects.toThrow('amountMsat');
    await expect(newInvoice(node, Number.NaN as never)).rejects.toThrow('amountMsat');
  });
});

describe('a client that is closed', () => {
  it('ends its watches, leaves the others alone, and is unavailable', async () => {
    const [one, two] = [client(url), client(url)];
    const watching = take(one.node.watch(await newestPosition(one), new AbortController().signal), 1);
    await one.node.info();
    await one.node.close();
    await one.node.close();
    expect(await watching).toEqual([]);
    await expect(one.node.info()).rejects.toThrow(NodeUnavailable);
    expect((await payOutside(two, 'alice')).outcome.state).toBe('succeeded');
  });
});

describe('the HTTP server', () => {
  const authorization = `Bearer ${encodeURIComponent(SECRET)}`;
  const post = (path: string, body: string | undefined, headers: Readonly<Record<string, string>> = { authorization }) =>
    fetch(`http://127.0.0.1:${server.port}${path}`, { method: 'POST', headers, ...(body !== undefined && { body }) });

  it('returns JSON to a request with the secret', async () => {
    const response = await post('/describe', 'null');
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ value: { network: 'regtest' } });
  });

  it('rejects a wrong secret, and the client logs the reason without the secret', async () => {
    const log = collectLog();
    const { node } = client(`playground://127.0.0.1:${server.port}?secret=wrong`, { log });
    await expect(node.info()).rejects.toThrow(
      new NodeUnavailable(`playground://127.0.0.1:${server.port} cannot be reached: the secret is wrong`),
    );
    expect(log.lines).toMatchObject([{ level: 'warn', fields: { reason: 'the secret is wrong' } }]);
    expect(JSON.stringify(log.lines)).not.toContain('=wrong');
  });

  it.each([
    ['a request without a secret', {}],
    ['a wrong secret', { authorization: 'Bearer wrong' }],
    ['an empty secret', { authorization: 'Bearer ' }],
    ['a secret of another scheme', { authorization: `Basic ${encodeURIComponent(SECRET)}` }],
  ])('rejects %s with 401 and without any data', async (_what, headers) => {
    const response = await post('/describe', 'null', headers);
    expect([response.status, await response.json()]).toEqual([401, { error: 'the secret is wrong' }]);
    expect(response.headers.get('playground-hub')).toBeNull();
  });

  it.each([
    ['an unknown command', '/unknown', 'null', 404],
    ['a command that every object has', '/constructor', 'null', 404],
    ['a request without a body', '/describe', undefined, 400],
    ['a body that is not JSON', '/describe', '{"a":', 400],
    ['a body that is not an object', '/lookupPayment', '"text"', 400],
    ['a body without the required fields', '/lookupPayment', 'null', 422],
    ['a body of more than 1 MiB', '/describe', `"${'x'.repeat(2 ** 20)}"`, 413],
  ])('rejects %s', async (_what, path, body, status) => {
    expect((await post(path, body)).status).toBe(status);
    expect((await post('/describe', 'null')).status).toBe(200);
  });

  it('rejects a command for another playground', async () => {
    const response = await post('/describe', 'null', { authorization, 'playground-hub': '02aa' });
    expect(response.status).toBe(421);
  });

  it.each([
    ['bytes that are not HTTP', 'nonsense\r\n\r\n', '400 Bad Request'],
    ['headers of more than 4 KiB', `POST /describe HTTP/1.1\r\nx: ${'x'.repeat(5_000)}\r\n\r\n`, '431 Request Header Fields Too Large'],
  ])('closes the connection after %s', async (_what, text, status) => {
    expect(await responseTo(server.port, text)).toContain(status);
  });
});

describe('a server with small limits', () => {
  let small: PlaygroundServer;
  beforeAll(async () => {
    const options = { dataDir: tempDir(), host: '127.0.0.1', port: 0, secret: SECRET, log: collectLog() };
    small = await servePlayground({ ...options, maxRequests: 2, requestTimeoutMs: 100 });
  });
  afterAll(() => small.close());
  const smallUrl = () => `playground://127.0.0.1:${small.port}?secret=${encodeURIComponent(SECRET)}`;

  it.each([
    ['never sends anything', ''],
    ['never finishes its headers', 'POST /describe HTTP/1.1\r\n'],
    [
      'never finishes its body',
      `POST /describe HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${encodeURIComponent(SECRET)}\r\ncontent-length: 4\r\n\r\n`,
    ],
  ])('closes the connection of a client that %s', async (_what, text) => {
    await responseTo(small.port, text);
  });

  it('rejects more requests than the limit with 503 and accepts the next one when one has ended', async () => {
    const { node } = client(smallUrl());
    const watching = new AbortController();
    const watches = [1, 2, 3].map(() => node.watch(undefined, watching.signal)[Symbol.asyncIterator]().next());
    const rejected = await until(() =>
      node.info().then(
        () => undefined,
        (error: unknown) => error,
      ),
    );
    expect(rejected).toEqual(new NodeUnavailable('the playground answers only 2 requests at once'));
    await node.close();
    expect(await Promise.all(watches)).toMatchObject([{ done: true }, { done: true }, { done: true }]);
    const later = client(smallUrl());
    expect((await until(() => later.node.info().catch(() => undefined))).pubkey).toBe(small.hub);
  });

  it('closes more connections than its limit and accepts the next one when one has ended', async () => {
    const sockets = Array.from({ length: 4 }, () => connect({ host: '127.0.0.1', port: small.port }));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    const extra = connect({ host: '127.0.0.1', port: small.port });
    extra.on('error', () => {});
    await once(extra, 'close');
    for (const socket of sockets) socket.destroy();
    const { node } = client(smallUrl());
    expect((await until(() => node.info().catch(() => undefined))).pubkey).toBe(small.hub);
  });
});
