import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import { encodeLnurl } from '../../src/core/lightning/bech32.ts';
import type { Json } from '../support/client.ts';

/** What a service returns: any JSON, or a function that writes the response itself. */
export type Reply = Json | ((response: ServerResponse) => void);

export const METADATA = '[["text/plain","Coffee for Bob"],["text/identifier","bob@pay.example.com"]]';

/** The hash that an invoice for the metadata contains. */
export const METADATA_HASH = createHash('sha256').update(METADATA).digest('hex');

/** An LNURL service on a loopback address, which behaves as a test says. */
export class RemoteService {
  /** Returns the response of step 1. */
  parameters: (request: IncomingMessage) => Reply | Promise<Reply> = () => ({});
  /** Returns the response of step 2. */
  callback: (query: URLSearchParams) => Reply | Promise<Reply> = () => ({});
  /** The paths and queries of all requests since the last reset. */
  requests: string[] = [];
  readonly #server = createServer((request, response) => void this.#respond(request, response));
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

  /** Returns a service that starts before the tests of the current suite and stops after them. */
  static ofSuite(): RemoteService {
    const service = new RemoteService();
    beforeAll(() => service.start());
    afterAll(() => service.close());
    return service;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Returns what LUD-06 requires, with changes. */
  payParameters(changes: object = {}): Json {
    const callback = `${this.url}/cb?id=7`;
    return { tag: 'payRequest', callback, minSendable: 1000, maxSendable: 5_000_000, metadata: METADATA, commentAllowed: 20, ...changes };
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
