import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import { encodeLnurl } from '../../src/lnurl/bech32.ts';
import type { Json } from '../support/client.ts';

/** What a service returns: any JSON, or a function that writes the response itself. */
export type Reply = Json | ((response: ServerResponse) => void);

/** An LNURL service on a loopback address, which behaves as a test says. */
export class RemoteService {
  /** Returns the response of step 1. */
  parameters: (request: IncomingMessage) => Reply | Promise<Reply> = () => ({});
  /** Returns the response of step 2. */
  callback: (query: URLSearchParams) => Reply | Promise<Reply> = () => ({});
  /** The paths and queries of all requests since the last reset. */
  requests: string[] = [];
  #port = 0;

  get url(): string {
    return `http://${this.host}`;
  }

  get host(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** The link of step 1. */
  get lnurl(): string {
    return encodeLnurl(`${this.url}/link?id=1`);
  }

  get address(): string {
    return `bob@${this.host}`;
  }

  /** Starts the service before the tests of the current suite and stops it after them. */
  constructor() {
    const server = createServer((request, response) => void this.#respond(request, response));
    beforeAll(async () => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      this.#port = (server.address() as AddressInfo).port;
    });
    afterAll(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.url);
    this.requests.push(`${url.pathname}${url.search}`);
    const reply = await (url.pathname === '/cb' ? this.callback(url.searchParams) : this.parameters(request));
    if (typeof reply === 'function') return reply(response);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(reply));
  }
}

/** Sends a text instead of JSON. */
export function raw(text: string, status = 200): Reply {
  return (response: ServerResponse) => void response.writeHead(status, { 'content-type': 'text/html' }).end(text);
}

export function redirect(location: string): Reply {
  return (response: ServerResponse) => void response.writeHead(302, { location }).end();
}

/** Ends the connection without a response. */
export function hangUp(): Reply {
  return (response: ServerResponse) => void response.destroy();
}
