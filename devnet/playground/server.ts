import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorMessage } from '../../src/core/kernel/log.ts';
import { NodeUnavailable } from '../../src/core/lightning/node.ts';
import { PlaygroundRefusal } from '../test-network.ts';
import { DEFAULT_NODE } from './node-name.ts';
import { type CommandName, MAY_REPEAT } from './protocol.ts';
import { bearerToken, HUB_HEADER, MAX_REQUEST_BYTES, MAX_RESPONSE_BYTES, readText, TooLarge } from './shared.ts';
import { Supervisor, type SupervisorOptions } from './supervisor.ts';

export interface ServerOptions extends SupervisorOptions {
  readonly host: string;
  /** 0 lets the system choose one. */
  readonly port: number;
  /** Every client with this secret may send every command. */
  readonly secret: string;
  /** Tests use smaller limits. */
  readonly maxRequests?: number;
  readonly requestTimeoutMs?: number;
}

export interface PlaygroundServer {
  readonly port: number;
  /** The public key of the default node. */
  readonly hub: string;
  /** Finishes the commands in progress and stops. */
  close(): Promise<void>;
}

/** Requests that are answered at the same time. More of them are rejected with 503, and twice as many connections are closed. */
const MAX_REQUESTS = 4_096;
/** A client must send a whole request in this time. */
const REQUEST_TIMEOUT_MS = 5_000;
/** A connection without data for this long is closed. Longer than any command takes. */
const IDLE_TIMEOUT_MS = 60_000;
const MAX_HEADER_BYTES = 4_096;
const CLOSE_WAIT_MS = 1_000;

/** Runs the playground of a directory and serves it over HTTP. @throws when it cannot start, or when the port is in use. */
export async function servePlayground(options: ServerOptions): Promise<PlaygroundServer> {
  const { host, port, secret, maxRequests = MAX_REQUESTS, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const supervisor = new Supervisor(options);
  await supervisor.start();
  try {
    const { nodes } = await supervisor.callTo(DEFAULT_NODE)('describe', null);
    const hub = nodes.find((node) => node.name === DEFAULT_NODE)?.pubkey as string;
    const limits = {
      headersTimeout: requestTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: requestTimeoutMs / 5,
    };
    const handler = requestHandler({ supervisor, hub, secret, maxRequests });
    const server = createServer({ ...limits, maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: IDLE_TIMEOUT_MS }, handler);
    server.timeout = IDLE_TIMEOUT_MS;
    server.maxConnections = 2 * maxRequests;
    server.listen({ host, port });
    await once(server, 'listening');
    return {
      port: (server.address() as AddressInfo).port,
      hub,
      async close() {
        const closed = once(server, 'close');
        server.close();
        await supervisor.close();
        const timer = setTimeout(() => server.closeAllConnections(), CLOSE_WAIT_MS);
        await closed;
        clearTimeout(timer);
      },
    };
  } catch (error) {
    await supervisor.close();
    throw error;
  }
}

/** A request that is rejected before the command is sent to the playground. */
class HttpError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface HandlerOptions {
  readonly supervisor: Supervisor;
  readonly hub: string;
  readonly secret: string;
  readonly maxRequests: number;
}

function requestHandler({ supervisor, hub, secret, maxRequests }: HandlerOptions) {
  const token = digest(bearerToken(secret));
  let inProgress = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    if (!timingSafeEqual(digest(request.headers.authorization ?? ''), token)) throw new HttpError(401, 'the secret is wrong');
    response.setHeader(HUB_HEADER, hub);
    const body = await readBody(request);
    if (inProgress > maxRequests) throw new HttpError(503, `the playground answers only ${maxRequests} requests at once`);
    const expected = request.headers[HUB_HEADER];
    if (expected !== undefined && expected !== hub) throw new HttpError(421, 'this is another playground');
    const url = URL.parse(request.url ?? '', 'http://playground');
    const command = url?.pathname.slice(1) ?? '';
    if (request.method !== 'POST' || !isCommand(command)) throw new HttpError(404, 'there is no such command');
    return await supervisor.callTo(url?.searchParams.get('node') ?? DEFAULT_NODE)(command, body as never);
  }

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    inProgress++;
    response.on('close', () => inProgress--);
    try {
      const text = JSON.stringify({ value: await answer(request, response) });
      if (Buffer.byteLength(text) > MAX_RESPONSE_BYTES) throw new Error('the response is too large');
      response.setHeader('content-type', 'application/json').end(text);
    } catch (error) {
      // A body that was not read to its end must not be taken for the next request.
      if (!request.complete) response.setHeader('connection', 'close');
      response.writeHead(statusOf(error), { 'content-type': 'application/json' }).end(JSON.stringify({ error: errorMessage(error) }));
    }
  };
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  let body: unknown;
  try {
    body = JSON.parse(await readText(request.iterator({ destroyOnReturn: false }), MAX_REQUEST_BYTES));
  } catch (error) {
    if (error instanceof TooLarge) throw new HttpError(413, `a request must not exceed ${MAX_REQUEST_BYTES} bytes`);
    throw new HttpError(400, 'the body of a request must be JSON');
  }
  if (typeof body !== 'object') throw new HttpError(400, 'the body of a request must be an object or null');
  return body ?? {};
}

function statusOf(error: unknown): number {
  if (error instanceof HttpError) return error.status;
  if (error instanceof PlaygroundRefusal) return 422;
  return error instanceof NodeUnavailable ? 503 : 500;
}

function isCommand(text: string): text is CommandName {
  return Object.hasOwn(MAY_REPEAT, text);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
