import { describe, expect, it } from 'vitest';
import { eventNumber } from '../../../devnet/event-position.ts';
import { servePlayground } from '../../../devnet/playground/server.ts';
import { OutcomeUnknown, PlaygroundRefusal } from '../../../devnet/test-network.ts';
import { type NodeEvent, NodeUnavailable } from '../../../src/core/lightning/node.ts';
import { freePort } from '../../support/free-port.ts';
import { nodeInvoice } from '../../support/node-invoice.ts';
import { collectLog, DEADLINE_MS, newInvoice, payOutside, tempDir, until } from './support/open.ts';
import { clientsOfEachTest, fakeServer, respond, startPlaygroundProcess } from './support/shared.ts';

const client = clientsOfEachTest();

async function errorOf(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => new Error('it succeeded'),
    (error: Error) => error,
  );
}

describe('a playground that is killed and started again on its data and port', () => {
  it('accepts its clients again: their watches skip nothing, and the outcome of calls in progress is unknown', async () => {
    const dataDir = tempDir();
    const first = await startPlaygroundProcess(dataDir, await freePort());
    const log = collectLog();
    const [one, two] = [client(first.url, { log }), client(first.url)];
    const before = await payOutside(one, 'alice');
    const watches = [one, two].map(async ({ node }) => {
      const seen: NodeEvent[] = [];
      for await (const event of node.watch(undefined, AbortSignal.timeout(DEADLINE_MS))) if (seen.push(event) === 4) break;
      return seen;
    });
    const guarded = Promise.withResolvers<void>();
    const decision = Promise.withResolvers<'claim'>();
    one.node.guardIncoming(() => {
      guarded.resolve();
      return decision.promise;
    });
    const { paymentRequest, paymentHash } = await newInvoice(two.node);
    const underWay = [errorOf(two.control.payInvoice({ paymentRequest, from: 'alice' }))];
    await guarded.promise;
    // Both have a call in progress, so both detect the failure.
    const unasked = await newInvoice(one.node);
    underWay.push(errorOf(one.control.payInvoice({ paymentRequest: unasked.paymentRequest, from: 'carol' })));
    await one.node.info();

    await first.end('SIGKILL');
    for (const doubt of await Promise.all(underWay)) {
      expect(doubt.message).toMatch(/^the connection to the playground broke .*; the outcome is unknown$/);
      expect(doubt).toBeInstanceOf(OutcomeUnknown);
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
  it('keeps its clients connected: the outcome of calls in progress is unknown, later ones work, and watches continue', async () => {
    const log = collectLog();
    const worker = new URL('./support/fragile-worker.ts', import.meta.url);
    const options = { dataDir: tempDir(), host: '127.0.0.1', port: 0, secret: 'any', log, worker };
    const server = await servePlayground(options);
    const playground = client(`playground://127.0.0.1:${server.port}?secret=any`, { log });
    const next = playground.node.watch(undefined, AbortSignal.timeout(DEADLINE_MS))[Symbol.asyncIterator]().next();
    const error = await errorOf(nodeInvoice(playground.node, { description: 'die', expirySeconds: 60 }));
    expect(error).toEqual(new OutcomeUnknown('the playground stopped before it answered; the outcome is unknown'));
    const { order } = await payOutside(playground, 'alice');
    expect((await next).value).toMatchObject({ type: 'payment', paymentId: order.paymentId });
    expect(log.lines.map((line) => line.level)).toEqual(['error']);
    await server.close();
  });
});

describe('a playground that is down from the start', () => {
  it('makes calls throw NodeUnavailable, and is used once it runs', async () => {
    const port = await freePort();
    const { node } = client(`playground://127.0.0.1:${port}?secret=any`);
    const watching = new AbortController();
    const watch = node.watch(undefined, watching.signal)[Symbol.asyncIterator]().next();
    expect(await errorOf(node.info())).toBeInstanceOf(NodeUnavailable);
    expect(await errorOf(newInvoice(node))).toBeInstanceOf(NodeUnavailable);
    watching.abort();
    expect(await watch).toMatchObject({ done: true });
    const balance = node.balance();
    await fakeServer((_request, response) => respond(response, { localMsat: 7 }), port);
    expect(await balance).toEqual({ localMsat: 7 });
  });
});

describe('a broken connection', () => {
  it('to a silent server makes the outcome of a command unknown', async () => {
    const { url } = await fakeServer((request, response) => request.url === '/describe' && respond(response, {}));
    const { node } = client(url, { timeoutMs: 50 });
    const error = await errorOf(newInvoice(node));
    expect(error).toEqual(new OutcomeUnknown('the connection to the playground broke (no data for 50 ms); the outcome is unknown'));
  });

  it('to a server that was silent from the start makes it unavailable', async () => {
    const requests: (string | undefined)[] = [];
    const { url } = await fakeServer((request) => void requests.push(request.url));
    const { node } = client(url, { timeoutMs: 50 });
    expect(await errorOf(newInvoice(node))).toBeInstanceOf(NodeUnavailable);
    expect(requests).toEqual(['/describe']);
  });

  it('before a command was sent makes the node unavailable', async () => {
    const { server, url } = await fakeServer((_request, response) => respond(response, { localMsat: 7 }));
    const { node } = client(url);
    await node.balance();
    server.close();
    server.closeAllConnections();
    const errors = await Promise.all([errorOf(node.balance()), errorOf(newInvoice(node))]);
    for (const error of errors) expect(error).toBeInstanceOf(NodeUnavailable);
  });

  it('repeats commands that only read, and no others', async () => {
    const commands: (string | undefined)[] = [];
    const { url } = await fakeServer((request, response) => {
      commands.push(request.url);
      // Disconnects at the first of each and responds to the second.
      if (commands.filter((each) => each === request.url).length === 1) request.socket.destroy();
      else respond(response, { localMsat: 7 });
    });
    const { node } = client(url);
    expect(await node.balance()).toEqual({ localMsat: 7 });
    expect(await errorOf(newInvoice(node))).toBeInstanceOf(OutcomeUnknown);
    expect(commands).toEqual(['/balance', '/balance', '/createInvoice']);
  });

  it('in the middle of a response makes the outcome unknown', async () => {
    const { url } = await fakeServer((request, response) => {
      if (request.url === '/describe') return respond(response, {});
      response.setHeader('playground-hub', '02aa').setHeader('content-length', 100).write('{"value":');
      setTimeout(() => request.socket.destroy(), 20);
    });
    expect(await errorOf(newInvoice(client(url).node))).toBeInstanceOf(OutcomeUnknown);
  });

  it.each([
    ['too large', 'x'.repeat(4 * 2 ** 20 + 1)],
    ['not JSON', '{"value":'],
  ])('leaves the outcome unknown after a response that is %s', async (_what, text) => {
    const { url } = await fakeServer((request, response) => {
      if (request.url === '/describe') respond(response, {});
      else response.setHeader('playground-hub', '02aa').end(text);
    });
    expect(await errorOf(newInvoice(client(url).node))).toBeInstanceOf(OutcomeUnknown);
  });
});

describe('another server on the port of the playground', () => {
  it('gets no command when it is another playground, because that one does not know our payments', async () => {
    let hub = '02aa';
    const expected: (string | string[] | undefined)[] = [];
    const { url } = await fakeServer((request, response) => {
      expected.push(request.headers['playground-hub']);
      respond(response, { localMsat: 7 }, hub);
    });
    const { node } = client(url);
    await node.balance();
    hub = '02bb';
    const error = await errorOf(node.lookupPayment({ paymentId: 'an id', paymentHash: '00'.repeat(32) }));
    expect(error).toBeInstanceOf(NodeUnavailable);
    expect(error.message).toContain('another playground answers there than before');
    expect(expected.slice(0, 2)).toEqual([undefined, '02aa']);
  });

  it('gets no command that changes something when it is not a playground', async () => {
    const requests: (string | undefined)[] = [];
    const { url } = await fakeServer((request, response) => {
      requests.push(request.url);
      response.end('<html>');
    });
    const error = await errorOf(newInvoice(client(url).node));
    expect(error).toBeInstanceOf(NodeUnavailable);
    expect(error.message).toContain('the server there is not a playground');
    expect(new Set(requests)).toEqual(new Set(['/describe']));
  });
});

describe('a request that is too large', () => {
  it('is rejected before it is sent', async () => {
    const requests: unknown[] = [];
    const { url } = await fakeServer((request, response) => {
      requests.push(request.url);
      respond(response, {});
    });
    const { node } = client(url);
    await node.info().catch(() => undefined);
    const request = { description: 'x'.repeat(2 ** 20), expirySeconds: 60 };
    expect(await errorOf(nodeInvoice(node, request))).toBeInstanceOf(PlaygroundRefusal);
    expect(requests).toEqual(['/describe']);
  });
});
