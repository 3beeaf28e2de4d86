import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { parseAllowList, parseProxy } from '../../src/core/outbound/addresses.ts';
import type { NetworkAccess } from '../../src/core/outbound/connect.ts';
import { Outbound, type OutboundError, type OutboundSettings } from '../../src/core/outbound/outbound.ts';

/** A local server that counts its connections. */
export interface Listener {
  readonly port: number;
  /** The paths of the requests, if it speaks HTTP. */
  readonly paths: string[];
  readonly requests: { readonly headers: NodeJS.Dict<string | string[]>; readonly body: string }[];
  connections: number;
  /** The connections that are open now. */
  readonly open: Set<Socket>;
}

export interface World {
  readonly outbound: Outbound;
  /** The names that were resolved. */
  readonly resolved: string[];
  /** The addresses and ports that the client has tried to connect to. */
  readonly connected: { readonly addresses: readonly string[]; readonly port: number }[];
  /** The client's sockets. */
  readonly sockets: Socket[];
  readonly log: { readonly fields: Record<string, unknown>; readonly message: string }[];
}

export interface WorldOptions extends Partial<Omit<OutboundSettings, 'allow' | 'proxy' | 'network' | 'log'>> {
  /** The answers of the name servers: an array per question, in order. The last is repeated. */
  readonly names?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** The listener to which connections to public addresses lead. Without it, they fail. */
  readonly internet?: Listener;
  readonly own?: readonly string[];
  /** Functions that replace the ones above. */
  readonly network?: Partial<NetworkAccess>;
  readonly allow?: string;
  readonly proxy?: string;
}

/** A public address, as far as the client knows. */
export const PUBLIC = '93.184.215.14';

/** Creates a client whose names and public connections the test controls. Connections to loopback are real. */
export function createWorld({ names = {}, internet, own = [], network, allow = '', proxy, ...settings }: WorldOptions = {}): World {
  const resolved: string[] = [];
  const connected: World['connected'] = [];
  const sockets: Socket[] = [];
  const log: World['log'] = [];
  const outbound = new Outbound({
    ...settings,
    allow: parseAllowList(allow),
    proxy: proxy === undefined ? undefined : parseProxy(proxy),
    log: { debug: (fields, message) => log.push({ fields: { ...fields }, message }) },
    network: {
      async resolve({ host }) {
        const asked = resolved.filter((name) => name === host).length;
        resolved.push(host);
        const answers = names[host];
        if (!answers) throw new Error(`queryA ENOTFOUND ${host}`);
        return answers[Math.min(asked, answers.length - 1)] ?? [];
      },
      connect(addresses, port) {
        connected.push({ addresses, port });
        const [host = ''] = addresses;
        const isLocal = host === 'localhost' || host === '::1' || host.startsWith('127.');
        const socket = isLocal ? connect({ host, port }) : connect({ host: '127.0.0.1', port: internet?.port ?? 1 });
        sockets.push(socket);
        return socket;
      },
      ownAddresses: () => own,
      ...network,
    },
  });
  return { outbound, resolved, connected, sockets, log };
}

/** Returns the error of a request that must fail. */
export async function failure(request: Promise<unknown>): Promise<OutboundError> {
  return request.then(
    (value) => {
      throw new Error(`the request succeeded: ${JSON.stringify(value)}`);
    },
    (error: OutboundError) => error,
  );
}

const servers: { readonly server: Server; readonly open: Set<Socket> }[] = [];

/** Closes the servers after each test of a file. */
export function closeListeners(): void {
  afterEach(async () => {
    for (const { server, open } of servers.splice(0)) {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    }
  });
}

async function listening(server: Server, listener: Omit<Listener, 'port'>, host: string): Promise<Listener> {
  server.on('connection', (socket: Socket) => {
    listener.connections += 1;
    listener.open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => listener.open.delete(socket));
  });
  servers.push({ server, open: listener.open });
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject);
    server.listen(0, host, resolve);
  });
  return Object.assign(listener, { port: (server.address() as AddressInfo).port });
}

function newListener(): Omit<Listener, 'port'> {
  return { paths: [], requests: [], connections: 0, open: new Set() };
}

function recording(listener: Omit<Listener, 'port'>, handler: RequestListener): RequestListener {
  return async (request, response) => {
    listener.paths.push(request.url ?? '');
    const body = (await request.toArray()).join('');
    listener.requests.push({ headers: request.headers, body });
    handler(request, response);
  };
}

/** Starts an HTTP server on a loopback address. */
export async function listen(handler: RequestListener, host = '127.0.0.1'): Promise<Listener> {
  const listener = newListener();
  return listening(createHttpServer(recording(listener, handler)), listener, host);
}

/** Starts an HTTPS server for pay.test. */
export async function listenTls(handler: RequestListener, certificate = 'server.pem'): Promise<Listener> {
  const listener = newListener();
  const http = createHttpServer(recording(listener, handler));
  const server = createTlsServer({ cert: fixture(certificate), key: fixture('server.key') }, (socket) => http.emit('connection', socket));
  server.on('tlsClientError', () => undefined);
  return listening(server, listener, '127.0.0.1');
}

/** Starts a TCP server. */
export async function listenRaw(onConnection: (socket: Socket) => void, host = '127.0.0.1'): Promise<Listener> {
  const listener = newListener();
  return listening(createServer(onConnection), listener, host);
}

export function answerJson(body: unknown): RequestListener {
  return (_request, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Trusts the authority of the fixtures during the tests of a file. */
export function trustTestAuthority(): void {
  const before = getCACertificates('default');
  beforeAll(() => setDefaultCACertificates([...before, fixture('ca.pem')]));
  afterAll(() => setDefaultCACertificates(before));
}

function fixture(name: string): string {
  return readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8');
}
