import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_CONNECTIONS, type PlaygroundServer, servePlayground } from '../../../devnet/playground/server.ts';
import { msat } from '../../../src/kernel/money.ts';
import { type IncomingGuard, type NodeEvent, NodeUnavailable } from '../../../src/lightning/node.ts';
import { PlaygroundRefusal } from '../../../src/lightning/test-network.ts';
import { collectLog, DEADLINE_MS, findEvent, newestPosition, newInvoice, payOutside, tempDir, until } from './support/open.ts';
import { answerTo, clientsOfEachTest, startChild } from './support/shared.ts';

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

/** Events after a position until `count` payments and settlements were seen. */
async function take(events: AsyncIterable<NodeEvent>, count: number): Promise<NodeEvent[]> {
  const seen: NodeEvent[] = [];
  for await (const event of events) if (seen.push(event) === count) break;
  return seen;
}

describe('several clients of one playground', () => {
  it('see the same node; each can pay and make invoices, and is answered itself', async () => {
    const clients = [await client(url), await client(url)];
    const infos = await Promise.all(clients.map(({ node }) => node.info()));
    expect(infos.map(({ pubkey }) => pubkey)).toEqual([server.hub, server.hub]);
    const paid = await Promise.all(
      clients.flatMap((each) => [payOutside(each, 'alice'), payOutside(each, 'alice', { amountMsat: 7_000 })]),
    );
    expect(paid.map(({ outcome }) => outcome.state)).toEqual(Array(4).fill('succeeded'));
    // What one paid, the other can look up; paying again sends nothing.
    const [first] = paid;
    expect(await clients[1]?.node.lookupPayment(first?.order.paymentId ?? '')).toEqual(first?.outcome);
    expect(await clients[1]?.node.pay(first?.order as never)).toEqual(first?.outcome);
    expect(await clients[0]?.node.lookupPayment('nobody knows this')).toBeUndefined();
  });

  it('guard an invoice whichever of them made it, and each sees its settlement once, at the same position', async () => {
    const [one, two] = [await client(url), await client(url)];
    const from = await newestPosition(one);
    const asked: string[] = [];
    two.node.guardIncoming(async ({ paymentHash }) => {
      asked.push(paymentHash);
      return 'claim';
    });
    const watches = [one, two].map(({ node }) => take(node.watch(from, AbortSignal.timeout(DEADLINE_MS)), 3));
    const invoices = [await newInvoice(one.node), await newInvoice(two.node), await newInvoice(one.node)];
    for (const { paymentRequest } of invoices) await one.control.payInvoice({ paymentRequest, from: 'alice' });
    const [ones, twos] = await Promise.all(watches);
    expect(ones).toEqual(twos);
    expect(ones?.map((event) => event.type === 'settlement' && event.paymentHash)).toEqual(invoices.map((each) => each.paymentHash));
    expect(asked).toEqual(invoices.map((each) => each.paymentHash));
  });

  it('may all be asked: whoever decides first decides, and the answer of the others does nothing', async () => {
    const [one, two] = [await client(url), await client(url)];
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
    // Asked for what waits already.
    two.node.guardIncoming(async () => 'claim');
    expect(await paying).toMatchObject({ state: 'succeeded' });
    late.resolve('refuse');
    const settled = await findEvent(one.node, (event) => event.type === 'settlement' && event.paymentHash === paymentHash);
    expect(settled).toMatchObject({ amountMsat: 2_000 });
    expect(await one.node.cancelInvoice(paymentHash)).toBe('settled');
  });

  it('are not disturbed by one that is killed while it is asked', async () => {
    const one = await client(url);
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

  it('are refused what cannot be done, in the words of the playground', async () => {
    const { node, control } = await client(url);
    await expect(control.payInvoice({ paymentRequest: 'lnbcrt1', from: 'alice' })).rejects.toThrow(PlaygroundRefusal);
    await expect(newInvoice(node, msat(-1))).rejects.toThrow('amountMsat');
    await expect(newInvoice(node, Number.NaN as never)).rejects.toThrow('amountMsat');
  });
});

describe('a client that is closed', () => {
  it('ends its watches, leaves the others alone, and is unavailable', async () => {
    const [one, two] = [await client(url), await client(url)];
    const watching = take(one.node.watch(await newestPosition(one), new AbortController().signal), 1);
    await one.node.info();
    await one.node.close();
    await one.node.close();
    expect(await watching).toEqual([]);
    await expect(one.node.info()).rejects.toThrow(NodeUnavailable);
    expect((await payOutside(two, 'alice')).outcome.state).toBe('succeeded');
  });
});

describe('the door', () => {
  const hello = `${JSON.stringify({ type: 'hello', secret: SECRET })}\n`;
  const request = (fields: object) => `${JSON.stringify({ type: 'request', id: 1, command: 'describe', body: null, ...fields })}\n`;

  it('stays shut for a wrong secret, whose owner is told so and finds the node unavailable', async () => {
    const log = collectLog();
    const { node } = await client(`playground://127.0.0.1:${server.port}?secret=wrong`, { log });
    await expect(node.info()).rejects.toThrow(
      new NodeUnavailable(`playground://127.0.0.1:${server.port} cannot be reached: the secret is wrong`),
    );
    expect(log.lines).toMatchObject([{ level: 'warn', fields: { reason: 'the secret is wrong' } }]);
    expect(JSON.stringify(log.lines)).not.toContain('=wrong');
  });

  it.each([
    ['a request before the secret', request({}), 'the secret is wrong'],
    ['a secret that is no text', '{"type":"hello","secret":7}\n', 'the secret is wrong'],
    ['a browser', 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', 'a message is no JSON'],
    ['a stranger who talks without end', 'x'.repeat(5_000), 'a message is larger than 4096 bytes'],
    ['a known client with an oversized frame', hello + 'x'.repeat(2 ** 20 + 1), 'a message is larger than 1048576 bytes'],
    ['a command that every object has', hello + request({ command: 'constructor' }), 'this is no command of the playground'],
    ['a request without a body', hello + request({ body: undefined }), 'this is no command of the playground'],
    ['JSON that is no message', `${hello}null\n`, 'a message has no type'],
  ])('is closed to %s', async (_who, text, reason) => {
    const said = await answerTo(server.port, text);
    expect(said).toContain(JSON.stringify({ type: 'rejected', message: reason }));
    expect(said).not.toContain('nodes');
  });

  it('is closed to those who do not say the secret in time', async () => {
    const hasty = await servePlayground({
      dataDir: tempDir(),
      host: '127.0.0.1',
      port: 0,
      secret: SECRET,
      log: collectLog(),
      helloWaitMs: 50,
    });
    expect(await answerTo(hasty.port, '')).toContain('the secret was not said in time');
    await hasty.close();
  });

  it('lets in no more than 64, and the next one when one is gone', async () => {
    const { node } = await client(url);
    await node.info();
    const sockets = Array.from({ length: MAX_CONNECTIONS - 1 }, () => connect({ host: '127.0.0.1', port: server.port }));
    for (const socket of sockets) socket.on('error', () => {}).write(hello);
    await Promise.all(sockets.map((socket) => once(socket, 'data')));
    expect(await answerTo(server.port, hello)).toContain('takes no more');
    const late = await client(url);
    await expect(late.node.info()).rejects.toThrow(NodeUnavailable);
    for (const socket of sockets) socket.destroy();
    expect((await until(() => late.node.info().catch(() => undefined))).pubkey).toBe(server.hub);
    expect((await node.info()).pubkey).toBe(server.hub);
  });
});
