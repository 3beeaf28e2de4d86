import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { LndTransport } from '../../../src/core/lightning/lnd/transport.ts';
import { parseLndUrl } from '../../../src/core/lightning/lnd/url.ts';
import { type ScriptedLnd, scriptedLnd } from './scripted-lnd.ts';

const open = scriptedLnd();
const closing: (() => void)[] = [];

afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function opened(): Promise<{ lnd: ScriptedLnd; transport: LndTransport }> {
  const { lnd, url } = await open();
  const transport = new LndTransport(parseLndUrl(url));
  closing.push(() => transport.close());
  return { lnd, transport };
}

const NEVER = new AbortController().signal;

/** Reads the first message of a stream, and stops. */
async function readFirst(transport: LndTransport, signal = NEVER): Promise<unknown> {
  for await (const message of transport.stream({ method: 'GET', path: '/stream' }, signal)) return message;
  return undefined;
}

describe('a connection to LND', () => {
  it('outlives the time limit of the call that opened it', async () => {
    const { lnd, transport } = await opened();
    lnd.on('GET /first', { body: {} }).on('GET /second', () => delay(3300, { body: { is: 'second' } }));
    await transport.call({ method: 'GET', path: '/first', timeoutMs: 3000 });
    await delay(50);
    expect(await transport.call({ method: 'GET', path: '/second' })).toEqual({ is: 'second' });
    expect(lnd.connections).toBe(1);
  });

  it('outlives the signal of the stream that opened it', async () => {
    const { lnd, transport } = await opened();
    const first = new AbortController();
    lnd.on('GET /stream', { messages: [{ result: 1 }] }, { messages: [() => delay(200, { result: 2 })] });
    expect(await readFirst(transport, first.signal)).toBe(1);
    await delay(50);
    const second = readFirst(transport);
    await expect.poll(() => lnd.requests.length).toBe(2);
    first.abort();
    expect(await second).toBe(2);
    expect(lnd.connections).toBe(1);
  });

  it('is used again after a stream that ended after its last message was read', async () => {
    const { lnd, transport } = await opened();
    lnd.on('GET /stream', { messages: [{ result: 1 }, () => delay(20, { result: 2 })] });
    for (let i = 0; i < 5; i++) {
      expect(await readFirst(transport)).toBe(1);
      await delay(100);
    }
    // A stream whose end has not arrived yet makes the next one open a connection.
    expect(lnd.connections).toBeLessThan(5);
  });

  it('is closed when a stream that is not read any more does not end', async () => {
    const { lnd, transport } = await opened();
    lnd.on('GET /stream', { messages: [{ result: 1 }], ending: 'silence' });
    expect(await readFirst(transport)).toBe(1);
    expect(lnd.openConnections).toBe(1);
    await expect.poll(() => lnd.openConnections).toBe(0);
  });

  it('is closed when the signal of its request aborts', async () => {
    const { lnd, transport } = await opened();
    const abort = new AbortController();
    lnd.on('GET /stream', { messages: [{ result: 1 }], ending: 'silence' });
    const messages = transport.stream({ method: 'GET', path: '/stream' }, abort.signal);
    expect((await messages.next()).value).toBe(1);
    const next = messages.next();
    abort.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    await expect.poll(() => lnd.openConnections).toBe(0);
  });

  it('is closed with the transport, also while the end of a stream is awaited', async () => {
    const { lnd, transport } = await opened();
    lnd.on('GET /stream', { messages: [{ result: 1 }], ending: 'silence' });
    expect(await readFirst(transport)).toBe(1);
    transport.close();
    await expect.poll(() => lnd.openConnections).toBe(0);
  });
});
