import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Connection } from '../../../devnet/playground/connection.ts';
import { servePlayground } from '../../../devnet/playground/server.ts';
import { eventNumber } from '../../../src/lightning/event-position.ts';
import { type NodeEvent, NodeUnavailable } from '../../../src/lightning/node.ts';
import { freePort } from '../../support/free-port.ts';
import { collectLog, DEADLINE_MS, newInvoice, payOutside, tempDir, until } from './support/open.ts';
import { clientsOfEachTest, fakeServer, startPlaygroundProcess } from './support/shared.ts';

const client = clientsOfEachTest();
const READY = `${JSON.stringify({ type: 'ready', hub: '02aa' })}\n`;

async function errorOf(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => new Error('it succeeded'),
    (error: Error) => error,
  );
}

describe('a playground that is killed and started again on its data and port', () => {
  it('is found again by its clients, whose watches have no gap and whose calls under way end in doubt', async () => {
    const dataDir = tempDir();
    const first = await startPlaygroundProcess(dataDir, await freePort());
    const log = collectLog();
    const [one, two] = [await client(first.url, { log }), await client(first.url)];
    const before = await payOutside(one, 'alice');
    const watches = [one, two].map(async ({ node }) => {
      const seen: NodeEvent[] = [];
      for await (const event of node.watch(undefined, AbortSignal.timeout(DEADLINE_MS))) if (seen.push(event) === 4) break;
      return seen;
    });
    const asked = Promise.withResolvers<void>();
    const decision = Promise.withResolvers<'claim'>();
    one.node.guardIncoming(() => {
      asked.resolve();
      return decision.promise;
    });
    const { paymentRequest, paymentHash } = await newInvoice(two.node);
    const underWay = [errorOf(two.control.payInvoice({ paymentRequest, from: 'alice' }))];
    await asked.promise;
    // Both have something under way, so both notice.
    const unasked = await newInvoice(one.node);
    underWay.push(errorOf(one.control.payInvoice({ paymentRequest: unasked.paymentRequest, from: 'carol' })));
    await one.node.info();

    await first.end('SIGKILL');
    for (const doubt of await Promise.all(underWay)) {
      expect(doubt.message).toMatch(/^the connection to the playground broke .* nobody knows whether this was done$/);
      expect(doubt).not.toBeInstanceOf(NodeUnavailable);
    }
    const away = await Promise.all([errorOf(one.node.info()), errorOf(one.node.pay(before.order)), errorOf(newInvoice(two.node))]);
    for (const error of away) expect(error).toBeInstanceOf(NodeUnavailable);

    const second = await startPlaygroundProcess(dataDir, Number(new URL(first.url).port));
    expect(second.url).toBe(first.url);
    for (const { node } of [one, two]) await until(() => node.info().catch(() => undefined));
    decision.resolve('claim');
    const after = await payOutside(two, 'carol', { feeLimitMsat: 5_000 });
    expect(await one.node.pay(before.order)).toEqual(before.outcome);
    const [ones, twos] = await Promise.all(watches);
    expect(ones).toEqual(twos);
    expect(ones?.map(({ position }) => eventNumber(position))).toEqual([1, 2, 3, 4]);
    expect(ones?.map((event) => (event.type === 'payment' ? event.paymentId : event.paymentHash)).sort()).toEqual(
      [before.order.paymentId, paymentHash, unasked.paymentHash, after.order.paymentId].sort(),
    );
    expect(log.lines.at(-1)).toMatchObject({ level: 'info', message: 'the playground can be reached again' });
    expect(await second.end('SIGTERM')).toBe(0);
  });
});

describe('a worker that dies in a shared playground', () => {
  it('leaves its clients connected: calls under way end in doubt, later ones work, and watches go on', async () => {
    const log = collectLog();
    const worker = new URL('./support/fragile-worker.ts', import.meta.url);
    const options = { dataDir: tempDir(), host: '127.0.0.1', port: 0, secret: 'any', log, worker };
    const server = await servePlayground(options);
    const playground = await client(`playground://127.0.0.1:${server.port}?secret=any`, { log });
    const next = playground.node.watch(undefined, AbortSignal.timeout(DEADLINE_MS))[Symbol.asyncIterator]().next();
    const error = await errorOf(playground.node.createInvoice({ description: 'die', expirySeconds: 60 }));
    expect(error.message).toContain('nobody knows whether it was done');
    expect(error).not.toBeInstanceOf(NodeUnavailable);
    const { order } = await payOutside(playground, 'alice');
    expect((await next).value).toMatchObject({ type: 'payment', paymentId: order.paymentId });
    expect(log.lines.map((line) => line.level)).toEqual(['error']);
    await server.close();
  });
});

describe('a node that is away from the start', () => {
  it('fails nothing but the calls, and is used as soon as it is there', async () => {
    const port = await freePort();
    const { server, url } = await fakeServer((socket) => socket.write(READY), port);
    await new Promise((resolve) => server.close(resolve));
    const { node } = await client(url);
    const watching = new AbortController();
    const watch = node.watch(undefined, watching.signal)[Symbol.asyncIterator]().next();
    expect(await errorOf(node.info())).toBeInstanceOf(NodeUnavailable);
    watching.abort();
    expect(await watch).toMatchObject({ done: true });
    const asked = Promise.withResolvers<string>();
    server.on('connection', (socket) => socket.on('data', (data) => String(data).includes('balance') && asked.resolve(String(data))));
    server.listen(port, '127.0.0.1');
    const balance = errorOf(node.balance());
    expect(await asked.promise).toContain('"command":"balance"');
    await node.close();
    await balance;
  });
});

describe('a broken connection', () => {
  it('is one whose other side is silent: what waits ends in doubt', async () => {
    const { url } = await fakeServer((socket) => socket.write(READY));
    const { node } = await client(url, { beatMs: 20 });
    const error = await errorOf(newInvoice(node));
    expect(error.message).toContain('the other side is silent');
    expect(error).not.toBeInstanceOf(NodeUnavailable);
  });

  it('is one that is shut right after it was opened: nothing was sent, and nobody waits for ever', async () => {
    const rejected = `${JSON.stringify({ type: 'rejected', message: 'go away' })}\n`;
    const { url } = await fakeServer((socket) => socket.write(READY + rejected));
    const { node } = await client(url);
    expect(await errorOf(node.balance())).toBeInstanceOf(NodeUnavailable);
    expect(await errorOf(newInvoice(node))).toBeInstanceOf(NodeUnavailable);
  });

  it('makes what only asks be asked again, and nothing else', async () => {
    const commands: string[] = [];
    const { url } = await fakeServer((socket) => {
      socket.write(READY);
      socket.on('data', (data) => {
        for (const line of String(data).trim().split('\n')) {
          const { type, id, command } = JSON.parse(line);
          if (type !== 'request') continue;
          commands.push(command);
          // Breaks at the first of each, answers the second.
          if (commands.filter((each) => each === command).length === 1) socket.destroy();
          else socket.write(`${JSON.stringify({ type: 'answer', id, value: { localMsat: 7 } })}\n`);
        }
      });
    });
    const { node } = await client(url);
    expect(await node.balance()).toEqual({ localMsat: 7 });
    expect((await errorOf(newInvoice(node))).message).toContain('nobody knows');
    expect(commands).toEqual(['balance', 'balance', 'createInvoice']);
  });

  it('is not made again with another playground, which knows nothing of our payments', async () => {
    let hub = '02aa';
    const { server, url } = await fakeServer((socket) => socket.write(`${JSON.stringify({ type: 'ready', hub })}\n`));
    const log = collectLog();
    const { node } = await client(url, { log });
    const [socket] = await once(server, 'connection');
    socket.on('data', () => {
      hub = '02bb';
      socket.destroy();
    });
    const error = await errorOf(node.lookupPayment('an id'));
    expect(error).toBeInstanceOf(NodeUnavailable);
    expect(error.message).toContain('another playground answers there than before');
  });

  it('is one whose other side does not read: it keeps nobody waiting', async () => {
    const server = createServer((socket) => void socket.pause()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const socket = createConnection({ host: '127.0.0.1', port });
    await once(socket, 'connect');
    const closed = Promise.withResolvers<string>();
    const connection = new Connection(socket, { maxBytes: 100, beatMs: 5_000, take: () => {}, closed: closed.resolve });
    const text = `${'x'.repeat(2 ** 20)}\n`;
    while (!socket.destroyed) connection.sendText(text);
    expect(await closed.promise).toBe('the other side does not read');
    server.close();
  });
});
