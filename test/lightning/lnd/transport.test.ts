import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openLnd } from '../../../src/core/lightning/lnd/lnd-node.ts';
import { LndTransport } from '../../../src/core/lightning/lnd/transport.ts';
import { parseLndUrl } from '../../../src/core/lightning/lnd/url.ts';
import { type LightningNode, NodeUnavailable } from '../../../src/core/lightning/node.ts';
import { freePort } from '../../support/free-port.ts';
import { silentLog } from '../../support/ledger.ts';
import { fixtureFile, recording, recordings } from './recordings.ts';
import { MACAROON, scriptedLnd } from './scripted-lnd.ts';

const open = scriptedLnd();
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'satchel-lnd-'));
  closing.push(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

function opened(url: string): LightningNode {
  const node = openLnd({ url, log: silentLog });
  closing.push(() => node.close());
  return node;
}

const HASH = '00'.repeat(32);

describe('nothing was sent to LND, and the error says what to change,', () => {
  it.each([
    [
      'no program listens',
      async () => `lnd+rest://127.0.0.1:${await freePort()}?macaroon=${fixtureFile('tls.cert')}`,
      'no program listens there (ECONNREFUSED): start LND, or correct host and port',
    ],
    [
      'the host is unknown',
      async () => `lnd+rest://lnd.invalid:8080?macaroon=${fixtureFile('tls.cert')}`,
      'the host name is unknown (ENOTFOUND): correct it',
    ],
    [
      'the macaroon file is missing',
      async () => 'lnd+rest://127.0.0.1:8080?macaroon=/nowhere/x',
      '/nowhere/x, cannot be read (ENOENT): correct its path',
    ],
    [
      'the certificate file is missing',
      async () => `lnd+rest://127.0.0.1:8080?cert=/nowhere/tls.cert&macaroon=${fixtureFile('tls.cert')}`,
      '/nowhere/tls.cert, cannot be read (ENOENT)',
    ],
  ])('if %s', async (_, url, reason) => {
    const node = opened(await url());
    await expect(node.info()).rejects.toThrow(NodeUnavailable);
    await expect(node.info()).rejects.toThrow(reason);
    await expect(node.lookupInvoice(HASH)).rejects.toThrow(NodeUnavailable);
  });

  it('if the port is that of gRPC', async () => {
    const node = opened(`lnd+rest://127.0.0.1:10009?macaroon=${fixtureFile('tls.cert')}`);
    await expect(node.info()).rejects.toThrow('10009 is usually the port of gRPC: use that of REST, usually 8080');
  });

  it('if the certificate of the node is another one', async () => {
    const { url, lnd } = await open();
    const other = join(temporaryDirectory(), 'tls.cert');
    writeFileSync(other, readFileSync(new URL('../cln/fixtures/tls/cert.pem', import.meta.url)));
    const node = opened(url.replace(/cert=[^&]*/, `cert=${other}`));
    await expect(node.info()).rejects.toThrow('its certificate is not the one in LIGHTNING_URL: copy the current tls.cert');
    expect(lnd.requests).toEqual([]);
  });

  it('if the URL has no certificate and no public authority has signed that of the node', async () => {
    const { url, lnd } = await open();
    await expect(opened(url.replace(/cert=[^&]*&/, '')).info()).rejects.toThrow('add cert=/path/tls.cert to LIGHTNING_URL');
    expect(lnd.requests).toEqual([]);
  });

  it('if the certificate file contains something else, such as the key', async () => {
    const { url, lnd } = await open();
    const node = opened(url.replace(/cert=[^&]*/, `cert=${fixtureFile('tls.key')}`));
    await expect(node.info()).rejects.toThrow('cert of LIGHTNING_URL is not a certificate: use the tls.cert of the node');
    expect(lnd.requests).toEqual([]);
  });

  it('if the server does not use TLS', async () => {
    const server = createHttpServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    closing.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const node = opened(`lnd+rest://127.0.0.1:${port}?macaroon=${fixtureFile('tls.cert')}`);
    await expect(node.lookupInvoice(HASH)).rejects.toThrow(NodeUnavailable);
  });

  it('if the macaroon file is empty', async () => {
    const macaroon = join(temporaryDirectory(), 'empty.macaroon');
    writeFileSync(macaroon, '');
    await expect(opened(`lnd+rest://127.0.0.1:8080?macaroon=${macaroon}`).info()).rejects.toThrow(`${macaroon}, is empty`);
  });

  it.each([
    'no macaroon',
    'garbage macaroon',
    'macaroon of another node',
    'a macaroon whose root key was deleted',
    'not allowed: WalletBalance',
  ])('if LND rejects the macaroon: %s', async (name) => {
    const { lnd, node } = await open();
    lnd.on('GET /v1/getinfo', recording('09-macaroon', name).response);
    await expect(node.info()).rejects.toThrow(NodeUnavailable);
    await expect(node.info()).rejects.toThrow('create one at this node, with the command in docs/lightning/lnd.md');
  });

  it.each(recordings('16-wallet-state').filter((one) => one.response.status === 500 && !/password|unlock/.test(one.case)))(
    'if LND is not ready: $case',
    async ({ response }) => {
      const { lnd, node } = await open();
      lnd.on(`GET /v1/invoice/${HASH}`, response);
      await expect(node.lookupInvoice(HASH)).rejects.toThrow(NodeUnavailable);
    },
  );
});

describe('the connection to LND', () => {
  it('accepts the pinned certificate under any host name', async () => {
    const { url } = await open();
    expect((await opened(url.replace('127.0.0.1', 'localhost')).info()).alias).toBe('alice');
    expect((await opened(url).info()).alias).toBe('alice');
  });

  it('takes the certificate and the macaroon from an lndconnect URL', async () => {
    const { url, lnd } = await open();
    const pem = readFileSync(fixtureFile('tls.cert'), 'utf8');
    const der = Buffer.from(pem.replace(/-----[A-Z ]+-----/g, ''), 'base64').toString('base64url');
    const { port } = new URL(url);
    const node = opened(`lndconnect://127.0.0.1:${port}?cert=${der}&macaroon=${MACAROON.toString('base64url')}`);
    expect((await node.info()).alias).toBe('alice');
    expect(lnd.requests[0]?.macaroon).toBe(MACAROON.toString('hex'));
  });

  it('uses a macaroon that was replaced', async () => {
    const { url, lnd, node } = await open();
    await node.info();
    const file = new URL(url).searchParams.get('macaroon') ?? '';
    writeFileSync(file, Buffer.from('020304', 'hex'));
    await expect.poll(async () => (await node.info()) && lnd.requests.at(-1)?.macaroon).toBe('020304');
  });

  it('repeats no macaroon and no path with a secret in an error', async () => {
    const { lnd, node } = await open();
    lnd.on('GET /v1/getinfo', { status: 500, body: { code: 2, message: 'something new', details: [] } });
    const error = await node.info().catch((thrown: Error) => thrown);
    expect(String(error)).not.toContain(MACAROON.toString('hex'));
  });

  it.each([
    ['before its headers', { messages: [], ending: 'silence' }],
    ['before the end of its body', { messages: [{}], ending: 'silence' }],
  ] as const)('knows that LND did not respond, except to a request that may take long: %s', async (_, answer) => {
    const { lnd, url } = await open();
    lnd.on('GET /v1/slow', answer);
    const transport = new LndTransport(parseLndUrl(url));
    closing.push(() => transport.close());
    const before = transport.unresponsiveAtMs;
    const call = (mayTakeLong: boolean) => transport.call({ method: 'GET', path: '/v1/slow', timeoutMs: 300, mayTakeLong });
    await expect(call(true)).rejects.toThrow('did not answer');
    expect(transport.unresponsiveAtMs).toBe(before);
    await expect(call(false)).rejects.toThrow('did not answer');
    expect(transport.unresponsiveAtMs).toBeGreaterThan(before);
  });

  it('joins messages that arrive in parts, and limits their size', async () => {
    const { lnd, node } = await open();
    const invoice = recording('01-add-invoice', 'lookup of it (GET /v1/invoice/<hex hash>)').response.body as object;
    lnd.on(`GET /v1/invoice/${HASH}`, { body: { ...invoice, memo: 'x'.repeat(70_000_000) } });
    // A busy machine may take longer than a call may.
    const spy = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
    onTestFinished(() => spy.mockRestore());
    await expect(node.lookupInvoice(HASH)).rejects.toThrow('the response of LND is larger than');
  });

  it('has its own sockets for payments and streams, so they do not delay short calls', async () => {
    const { lnd, node } = await open({ timing: {} });
    lnd.on('GET /v2/router/payments', { messages: [], ending: 'silence' });
    const abort = new AbortController();
    const streams = Array.from({ length: 50 }, async () => {
      for await (const _ of node.watchPayments?.(abort.signal) ?? []);
    });
    await expect.poll(() => lnd.sent('/v2/router/payments').length).toBe(50);
    expect((await node.info()).alias).toBe('alice');
    abort.abort();
    await Promise.all(streams);
  });
});
