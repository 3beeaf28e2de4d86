import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  answerJson,
  closeListeners,
  createWorld,
  failure,
  type Listener,
  listen,
  listenRaw,
  listenTls,
  trustTestAuthority,
} from './world.ts';

closeListeners();
trustTestAuthority();

const ONION = 'pay7fqsgb2rkpqhehndvvbbkmmvoaxnvkcsysfgvvpzcbcvkpwjc2wyd.onion';

/** A SOCKS5 proxy that connects every host to one port of this machine. */
interface Proxy extends Listener {
  readonly url: string;
  /** The destinations that clients asked for, with the type of the address: 3 is a name. */
  readonly destinations: { readonly type: number; readonly host: string; readonly port: number }[];
}

async function startProxy(port: number): Promise<Proxy> {
  const destinations: Proxy['destinations'] = [];
  const listener = await listenRaw((socket) => {
    socket.once('data', () => {
      socket.write(Buffer.from([5, 0]));
      socket.once('data', (request) => {
        const length = request[4] ?? 0;
        const host = request.subarray(5, 5 + length).toString();
        destinations.push({ type: request[3] ?? 0, host, port: request.readUInt16BE(5 + length) });
        const upstream = connect(port, '127.0.0.1', () => {
          socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
          socket.pipe(upstream).pipe(socket);
        });
        for (const one of [socket, upstream]) one.on('error', () => upstream.destroy());
        socket.on('close', () => upstream.destroy());
      });
    });
  });
  return Object.assign(listener, { destinations, url: `socks5h://127.0.0.1:${listener.port}` });
}

describe('an .onion host', () => {
  it.each([
    ['plain HTTP', `http://${ONION}/lnurlp/a`, 80],
    ['plain HTTP on another port', `http://${ONION}:8080/lnurlp/a`, 8080],
    ['a name under it', `http://pay.${ONION}/lnurlp/a`, 80],
    ['upper case', `HTTP://PAY.${ONION.toUpperCase()}/lnurlp/a`, 80],
  ])('is reached through the proxy, which resolves it: %s', async (_what, url, port) => {
    const hidden = await listen(answerJson('hidden'));
    const proxy = await startProxy(hidden.port);
    const { outbound, resolved, connected } = createWorld({ proxy: proxy.url });
    expect((await outbound.getJson(url)).body).toBe('hidden');
    const { host } = new URL(url);
    expect(proxy.destinations).toEqual([{ type: 3, host: host.split(':', 1)[0], port }]);
    expect(hidden.requests.map(({ headers }) => headers.host)).toEqual([host]);
    expect(resolved).toEqual([]);
    expect(connected).toEqual([{ addresses: ['127.0.0.1'], port: proxy.port }]);
    await expect.poll(() => proxy.open.size).toBe(0);
  });

  it('is verified over https', async () => {
    const hidden = await listenTls(answerJson('hidden'));
    const proxy = await startProxy(hidden.port);
    const { outbound } = createWorld({ proxy: proxy.url });
    expect((await outbound.getJson('https://onion.onion/')).body).toBe('hidden');
    expect((await failure(outbound.getJson(`https://${ONION}/`))).reason).toBe('no_valid_response');
    expect(proxy.destinations.map(({ port }) => port)).toEqual([443, 443]);
    expect(hidden.paths).toHaveLength(1);
  });

  it('gets POST requests', async () => {
    const hidden = await listen((_request, response) => response.writeHead(201).end('thanks'));
    const proxy = await startProxy(hidden.port);
    const { outbound } = createWorld({ proxy: proxy.url });
    expect(await outbound.post(`http://${ONION}/hook`, { headers: { a: 'b' }, body: '{}' })).toEqual({ status: 201, text: 'thanks' });
    expect(hidden.requests[0]?.body).toBe('{}');
  });

  it('may redirect to a public host, and a public host to it', async () => {
    const hidden = await listen(({ url = '' }, response) => {
      if (url === '/away') response.writeHead(302, { location: 'https://pay.test/there' }).end();
      else response.end('"hidden"');
    });
    const internet = await listenTls(({ url = '' }, response) => {
      if (url === '/in') response.writeHead(302, { location: `http://${ONION}/` }).end();
      else response.end('"public"');
    });
    const proxy = await startProxy(hidden.port);
    const names = { 'pay.test': [['93.184.215.14']] };
    const network = {
      connect: (_addresses: readonly string[], port: number) => connect(port === 443 ? internet.port : port, '127.0.0.1'),
    };
    const { outbound } = createWorld({ names, network, proxy: proxy.url });
    expect((await outbound.getJson(`http://${ONION}/away`)).body).toBe('public');
    expect((await outbound.getJson('https://pay.test/in')).body).toBe('hidden');
  });

  it.each([`http://${ONION}/`, `https://${ONION}/`, `http://${ONION}:8080/`, 'http://a.onion/', 'http://onion/', 'https://%61.onion/'])(
    'is invalid without a proxy: %s',
    async (url) => {
      const { outbound, resolved, connected } = createWorld({ allow: `${ONION},a.onion,127.0.0.0/8` });
      const error = await failure(outbound.getJson(url));
      expect(error.reason).toBe('invalid_url');
      expect(error.message).toBe(
        'This service cannot reach .onion addresses. Its operator can set OUTBOUND_PROXY to the address of a Tor proxy.',
      );
      expect({ resolved, connected }).toEqual({ resolved: [], connected: [] });
    },
  );

  it.each([`http://${ONION}:22/`, `https://${ONION}:80/`, `http://${ONION}:443/`, `http://user@${ONION}/`, `http://${ONION}./`])(
    'is invalid with the wrong port, a user or a dot: %s',
    async (url) => {
      const proxy = await startProxy(1);
      const { outbound } = createWorld({ proxy: proxy.url, allow: '127.0.0.0/8' });
      expect((await failure(outbound.getJson(url))).reason).toBe('invalid_url');
      expect(proxy.connections).toBe(0);
    },
  );

  it.each(['https://pay.test/', 'https://onion.test/', 'https://a.onion.test/', 'https://aonion/', 'https://93.184.215.14/'])(
    'is the only kind of host that uses the proxy, unlike %s',
    async (url) => {
      const proxy = await startProxy(1);
      const { outbound, connected } = createWorld({ proxy: proxy.url, names: { [new URL(url).hostname]: [['93.184.215.14']] } });
      await failure(outbound.getJson(url));
      expect(connected).toEqual([{ addresses: ['93.184.215.14'], port: 443 }]);
      expect(proxy.connections).toBe(0);
    },
  );
});

describe('a proxy that fails', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['closes the connection', (socket) => socket.destroy()],
    ['closes it after the greeting', (socket) => socket.once('data', () => socket.destroy())],
    ['requires a password', (socket) => socket.once('data', () => socket.write(Buffer.from([5, 255])))],
    ['speaks SOCKS4', (socket) => socket.once('data', () => socket.write(Buffer.from([4, 0])))],
    ['speaks HTTP', (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))],
    ['does not reach the host', (socket) => replyWith(socket, Buffer.from([5, 4, 0, 1, 0, 0, 0, 0, 0, 0]))],
    ['breaks off its response', (socket) => replyWith(socket, Buffer.from([5, 0, 0]), true)],
    ['closes the connection to the host', (socket) => replyWith(socket, Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]), true)],
  ])('because it %s is one more broken response', async (_how, onConnection) => {
    const proxy = await listenRaw(onConnection);
    const { outbound, log } = createWorld({ proxy: `socks5h://127.0.0.1:${proxy.port}` });
    const error = await failure(outbound.getJson(`http://${ONION}/s3cret`));
    expect(error).toMatchObject({ reason: 'no_valid_response' });
    expect(error.message).toBe(`The service at ${ONION} could not be reached or gave no valid response.`);
    expect(log).toHaveLength(1);
    expect(JSON.stringify(log)).not.toContain('s3cret');
    await expect.poll(() => proxy.open.size).toBe(0);
  });

  it('because it does not listen is one more', async () => {
    const { outbound } = createWorld({ proxy: 'socks5h://127.9.8.1:1' });
    expect((await failure(outbound.getJson(`http://${ONION}/`))).reason).toBe('no_valid_response');
  });

  it.each<[string, (socket: Socket) => void]>([
    ['the greeting', () => undefined],
    ['the connection', (socket) => replyWith(socket, Buffer.alloc(0))],
    ['the response', (socket) => replyWith(socket, Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))],
  ])('because it waits with %s is ended by the time limit', async (_what, onConnection) => {
    const timeout = new AbortController();
    let received = 0;
    const proxy = await listenRaw((socket) => {
      socket.on('data', () => {
        received += 1;
      });
      onConnection(socket);
    });
    const { outbound, sockets } = createWorld({ proxy: `socks5h://127.0.0.1:${proxy.port}`, timeout: () => timeout.signal });
    const request = failure(outbound.getJson(`http://${ONION}/`));
    await expect.poll(() => received).toBe(['the greeting', 'the connection', 'the response'].indexOf(_what) + 1);
    timeout.abort(new Error('the time is over'));
    expect((await request).reason).toBe('timed_out');
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
    await expect.poll(() => proxy.open.size).toBe(0);
  });

  function replyWith(socket: Socket, bytes: Buffer, isLast = false): void {
    socket.once('data', () => {
      socket.write(Buffer.from([5, 0]));
      socket.once('data', () => (isLast ? socket.end(bytes) : socket.write(bytes)));
    });
  }
});
