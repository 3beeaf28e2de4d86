import { createHook } from 'node:async_hooks';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { openCln } from '../../../src/core/lightning/cln/cln-node.ts';
import { ClnRpc } from '../../../src/core/lightning/cln/rpc.ts';
import { RestTransport } from '../../../src/core/lightning/cln/transport-rest.ts';
import { SocketTransport } from '../../../src/core/lightning/cln/transport-socket.ts';
import { InvalidClnUrl, parseClnUrl } from '../../../src/core/lightning/cln/url.ts';
import { NodeUnavailable } from '../../../src/core/lightning/node.ts';
import { InvalidConfig } from '../../../src/settings.ts';
import { silentLog as log } from '../../support/ledger.ts';
import { ORDER } from './orders.ts';
import { type Answer, CERT, RUNE, replayOnRest, replayOnSocket } from './replay.ts';

const SVC = {
  pubkey: '02abf53fda2c8ace7e56d870d1d857ed2ca0345a671fbc5145b46de3372cb08fa3',
  alias: 'svc',
  network: 'regtest',
  software: 'Core Lightning v26.06.6',
};

describe('the URL of a Core Lightning node', () => {
  it.each([
    ['cln+unix:///run/lightningd/bitcoin/lightning-rpc', { transport: 'socket', path: '/run/lightningd/bitcoin/lightning-rpc' }],
    ['cln+unix:///a%20b/lightning-rpc', { transport: 'socket', path: '/a b/lightning-rpc' }],
    [
      'cln+rest://127.0.0.1:3010?cert=/a/ca.pem&rune=/a/rune',
      { transport: 'rest', host: '127.0.0.1', port: 3010, certPath: '/a/ca.pem', rune: { path: '/a/rune' } },
    ],
    ['cln+rest://[::1]?rune=abc==', { transport: 'rest', host: '::1', port: 3010, certPath: undefined, rune: { text: 'abc==' } }],
  ])('%s', (text, address) => {
    expect(parseClnUrl(text)).toEqual(address);
    expect(readConfig({ LIGHTNING_URL: text }).lightningUrls).toEqual([text]);
  });

  it.each([
    ['cln+unix://run/lightning-rpc', 'must begin with a slash'],
    ['cln+unix:///run/lightning-rpc?rune=s3cret', 'has no parameters'],
    ['cln+unix:///', 'has no path of a socket'],
    ['cln+rest://?rune=s3cret', 'has no host'],
    ['cln+rest://host', 'has no rune'],
    ['cln+rest://host?rune=s3cret.rune', 'neither a path with a slash nor a rune'],
    ['cln+rest://host/path?rune=s3cret', 'must not have a path'],
    ['cln+rest://host?rune=s3cret&rune=other', 'has a parameter twice'],
    ['cln+rest://host?rune=s3cret&macaroon=1', 'are cert and rune'],
    ['cln+rest://user:s3cret@host?rune=x', 'must not have a user'],
  ])('%s is rejected without its secrets', (text, reason) => {
    expect(() => parseClnUrl(text)).toThrow(InvalidClnUrl);
    const error = caught(() => readConfig({ LIGHTNING_URL: text }));
    expect(error).toBeInstanceOf(InvalidConfig);
    expect(error.message).toMatch(/^LIGHTNING_URL: /);
    expect(error.message).toContain(reason);
    expect(error.message).toContain('cln+rest://host:port?cert=');
    expect(error.message).not.toContain('s3cret');
  });
});

describe.each([
  ['the Unix socket', replayOnSocket],
  ['clnrest', replayOnRest],
])('%s', (_name, replay) => {
  it('returns results', async () => {
    const { url } = await replay();
    expect(await openCln({ url, log }).info()).toMatchObject(SVC);
  });

  it('returns the errors of lightningd with their codes', async () => {
    const { url } = await replay({ invoice: 'invoice-zero' });
    const request = { preimage: '11'.repeat(32), description: '', expirySeconds: 60 };
    await expect(openCln({ url, log }).createInvoice(request)).rejects.toMatchObject({ name: 'RpcError', code: -32602 });
  });

  it('reports a lost response of a call that can be repeated as an unavailable node', async () => {
    const { url } = await replay({ getinfo: 'lost' });
    await expect(openCln({ url, log }).info()).rejects.toThrow(NodeUnavailable);
  });

  it('reports a lost response of a payment as an unknown outcome', async () => {
    const { url } = await replay({ xpay: 'lost' });
    const paying = openCln({ url, log }).pay(ORDER);
    await expect(paying).rejects.toMatchObject({ name: 'ResponseLost' });
  });

  it('ends a call at its time limit, and names the limit', async () => {
    const { url } = await replay({ listpays: () => new Promise<Answer>(() => undefined) });
    await expect(openRpc(url).send('listpays', {}, { timeoutMs: 300 })).rejects.toThrow('no response within 0.3 s');
  });

  it('keeps no timer of a call that has ended', async () => {
    const { url } = await replay();
    const timeoutMs = 3_599_999;
    const timers = new Set<number>();
    const hook = createHook({
      init: (id, _type, _trigger, resource) => void ((resource as { _idleTimeout?: number })._idleTimeout === timeoutMs && timers.add(id)),
      destroy: (id) => void timers.delete(id),
    });
    hook.enable();
    onTestFinished(() => void hook.disable());
    await openRpc(url).call('getinfo', {}, { timeoutMs });
    await expect.poll(() => timers.size).toBe(0);
  });

  it('makes no calls after it is closed', async () => {
    const { url, calls } = await replay();
    const node = openCln({ url, log });
    await node.close();
    await node.close();
    await expect(node.info()).rejects.toThrow(NodeUnavailable);
    expect(calls).toEqual([]);
  });
});

function openRpc(url: string): ClnRpc {
  const address = parseClnUrl(url);
  const rpc = new ClnRpc(address.transport === 'socket' ? new SocketTransport(address.path) : new RestTransport(address));
  onTestFinished(() => rpc.close());
  return rpc;
}

describe('a connection to clnrest', () => {
  it('is used again, and outlives the signal of the call that opened it', async () => {
    const second = Promise.withResolvers<Answer>();
    const { url, calls, sockets } = await replayOnRest({ listpays: () => second.promise });
    const address = parseClnUrl(url);
    if (address.transport !== 'rest') throw new Error('not the URL of clnrest');
    const transport = new RestTransport(address);
    onTestFinished(() => transport.close());
    const first = new AbortController();
    await transport.call('getinfo', {}, first.signal);
    const call = transport.call('listpays', {}, new AbortController().signal);
    await expect.poll(() => calls.length).toBe(2);
    first.abort();
    second.resolve({ result: { pays: [] } });
    expect(await call).toEqual({ pays: [] });
    expect(sockets.size).toBe(1);
  });

  it('ends with the signal of a call that waits', async () => {
    const { url, calls } = await replayOnRest({ listpays: () => new Promise<Answer>(() => undefined) });
    const address = parseClnUrl(url);
    if (address.transport !== 'rest') throw new Error('not the URL of clnrest');
    const transport = new RestTransport(address);
    onTestFinished(() => transport.close());
    const abort = new AbortController();
    const call = transport.call('listpays', {}, abort.signal);
    await expect.poll(() => calls.length).toBe(1);
    abort.abort();
    await expect(call).rejects.toMatchObject({ name: 'ResponseLost' });
  });
});

describe('a node that cannot be reached', () => {
  it('names the socket', async () => {
    const node = openCln({ url: 'cln+unix:///nowhere/lightning-rpc', log });
    await expect(node.info()).rejects.toThrow(NodeUnavailable);
    await expect(node.info()).rejects.toThrow('lightningd cannot be reached: connect ENOENT /nowhere/lightning-rpc');
  });

  it('names the address of clnrest, and never the rune', async () => {
    const node = openCln({ url: `cln+rest://127.0.0.1:1?rune=${RUNE}`, log });
    const error = await node.info().catch((one: Error) => one);
    expect(error).toBeInstanceOf(NodeUnavailable);
    expect(String(error)).toContain('clnrest at https://127.0.0.1:1 cannot be reached');
    expect(String(error)).not.toContain(RUNE);
  });

  it('names the parameter cert when the certificate is not the pinned one', async () => {
    const { port, calls } = await replayOnRest();
    const node = openCln({ url: `cln+rest://127.0.0.1:${port}?rune=${RUNE}`, log });
    await expect(node.info()).rejects.toThrow('set the parameter cert of LIGHTNING_URL to the ca.pem of this node');
    expect(calls).toEqual([]);
  });

  it('names the parameter of a file that does not exist', async () => {
    const node = openCln({ url: 'cln+rest://127.0.0.1:1?rune=/nowhere/rune', log });
    await expect(node.info()).rejects.toThrow('the file that the parameter rune of LIGHTNING_URL names cannot be read');
  });

  it('names the method that the rune does not permit, and reads the file again afterwards', async () => {
    const { port } = await replayOnRest();
    const path = join(mkdtempSync(join(tmpdir(), 'satchel-rune-')), 'rune');
    writeFileSync(path, '{"rune":"s3cret"}\n');
    const node = openCln({ url: `cln+rest://127.0.0.1:${port}?cert=${CERT}&rune=${path}`, log });
    await expect(node.info()).rejects.toThrow('must contain a rune and nothing else');
    writeFileSync(path, 'wrong\n');
    await expect(node.info()).rejects.toThrow('the rune is invalid, or does not permit the method getinfo');
    await expect(node.info()).rejects.toThrow(NodeUnavailable);
    writeFileSync(path, `${RUNE}\n`);
    expect(await node.info()).toMatchObject(SVC);
  });
});

function caught(call: () => unknown): Error {
  try {
    call();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}
