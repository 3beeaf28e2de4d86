import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, request, type Server, setGlobalProxyFromEnv } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { afterAll, beforeAll } from 'vitest';
import type { Client } from '../support/client.ts';

const FIXTURES = join(import.meta.dirname, '..', 'outbound', 'fixtures');

/** The certificate of the authority that signed the certificate of pay.test. */
export const AUTHORITY_FILE = join(FIXTURES, 'ca.pem');

/**
 * Serves a service at https://pay.test and its subdomains, as a reverse proxy with TLS does. Clients reach these names through an HTTP proxy
 * (CONNECT), which HTTP clients support without a change of their names, ports or certificates.
 */
export class PublicDomain {
  readonly #server: Server;
  readonly #open = new Set<Socket>();

  /** Starts it before the tests of the suite, and makes the HTTP clients of this process use it. `trustTestAuthority` is also needed. */
  static ofSuite(client: Client): PublicDomain {
    const domain = new PublicDomain(client);
    let restore: () => void;
    beforeAll(async () => {
      domain.#server.listen(0, '127.0.0.1');
      await once(domain.#server, 'listening');
      restore = setGlobalProxyFromEnv({ https_proxy: domain.proxyUrl });
    });
    afterAll(() => {
      restore();
      for (const socket of domain.#open) socket.destroy();
      domain.#server.close();
    });
    return domain;
  }

  private constructor(client: Client) {
    const site = createServer(forwardTo(client));
    const [cert, key] = ['server.pem', 'server.key'].map((name) => readFileSync(join(FIXTURES, name)));
    this.#server = createServer((_request, response) => response.writeHead(405).end());
    this.#server.on('connect', (_request, socket: Socket) => {
      this.#open.add(socket.on('error', () => undefined));
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      const secure = new TLSSocket(socket, { isServer: true, cert, key });
      secure.on('error', () => socket.destroy());
      site.emit('connection', secure);
    });
  }

  get proxyUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
}

/** Leaves all headers as they are, also Host. */
function forwardTo(client: Client): RequestListener {
  return (incoming, response) => {
    const { method = 'GET', headers, url = '' } = incoming;
    const forwarded = request(client.url + url, { method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    incoming.pipe(forwarded);
  };
}
