import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import type { Json } from '../support/client.ts';

/** A request that a receiver got. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  readonly event: Json;
}

type Respond = (received: Received, response: ServerResponse, request: IncomingMessage) => void;

/** A receiver of webhooks in the process of the test. By default it responds 200. */
export interface Receiver {
  url(path?: string): string;
  readonly received: Received[];
  /** The events of accepted requests to a path: those that were answered 200. */
  accepted(path?: string): Json[];
  respond: Respond;
}

export function accept(_received: Received, response: ServerResponse): void {
  response.end('ok');
}

/** Starts a receiver before the tests of the suite, and stops it after them. */
export function startReceiver(): Receiver {
  let server: Server;
  const accepted: Received[] = [];
  const receiver: Receiver = {
    received: [],
    respond: accept,
    url: (path = '/hook') => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    accepted: (path = '/hook') => accepted.filter((one) => one.path === path).map(({ event }) => event),
  };
  beforeAll(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const raw = Buffer.concat(chunks).toString('utf8');
        const one = { path: request.url ?? '', headers: request.headers, raw, event: JSON.parse(raw) };
        receiver.received.push(one);
        response.on('finish', () => response.statusCode === 200 && accepted.push(one));
        receiver.respond(one, response, request);
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
  });
  return receiver;
}
