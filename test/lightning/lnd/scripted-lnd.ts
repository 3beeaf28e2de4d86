import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { type LndOptions, openLnd } from '../../../src/core/lightning/lnd/lnd-node.ts';
import type { LightningNode } from '../../../src/core/lightning/node.ts';
import { silentLog } from '../../support/ledger.ts';
import { fixtureFile, type Recording, recording } from './recordings.ts';

/** What the server answers to a request. */
export interface ScriptedResponse {
  readonly status?: number;
  readonly body?: unknown;
  /** The lines of a stream. Functions are waited for, so that a test decides when the next line comes. */
  readonly messages?: readonly (unknown | (() => Promise<unknown>))[];
  /** What happens after the body or the last line. The default is `end`. */
  readonly ending?: 'end' | 'silence' | 'reset';
}

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: Record<string, unknown>;
  readonly macaroon: string | undefined;
}

type Answer = ScriptedResponse | ((request: ReceivedRequest) => ScriptedResponse | Promise<ScriptedResponse>);

/** A server that speaks LND's REST over TLS with the certificate in `fixtures`, and answers with recordings. */
export class ScriptedLnd {
  readonly requests: ReceivedRequest[] = [];
  /** The number of connections so far. */
  connections = 0;
  readonly #answers = new Map<string, Answer[]>();
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor() {
    const [cert, key] = ['tls.cert', 'tls.key'].map((name) => readFileSync(fixtureFile(name)));
    this.#server = createServer({ cert, key }, (request, response) => void this.#serve(request, response));
    this.#server.on('connection', (socket: Socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  /** Sets the answers to a request: one after the other, and the last one from then on. A path without a query stands for any query. */
  on(methodAndPath: string, ...answers: Answer[]): this {
    this.#answers.set(methodAndPath, answers);
    return this;
  }

  /** Answers a recorded request as recorded. */
  replay(...recordings: readonly Recording[]): this {
    for (const { request, response } of recordings) this.on(`${request.method} ${request.path}`, response);
    return this;
  }

  /** Returns the requests of a path. */
  sent(path: string): ReceivedRequest[] {
    return this.requests.filter((request) => request.path.startsWith(path));
  }

  /** The number of open connections. */
  get openConnections(): number {
    return this.#sockets.size;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += chunk;
    const macaroon = request.headers['grpc-metadata-macaroon']?.toString();
    const { method = '', url: path = '' } = request;
    const received = { method, path, body: JSON.parse(text || '{}') as Record<string, unknown>, macaroon };
    this.requests.push(received);
    const answers = this.#answers.get(`${method} ${path}`) ?? this.#answers.get(`${method} ${path.replace(/\?.*/, '')}`) ?? [];
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    const scripted = typeof answer === 'function' ? await answer(received) : answer;
    await send(response, scripted ?? { status: 404, body: { code: 5, message: 'Not Found', details: [] } });
  }
}

async function send(response: ServerResponse, { status = 200, body, messages, ending = 'end' }: ScriptedResponse): Promise<void> {
  const lines = messages ?? (body === undefined ? [] : [body]);
  for (const line of lines) {
    const message = typeof line === 'function' ? await line() : line;
    if (!response.headersSent) response.writeHead(status, { 'content-type': 'application/json' });
    response.write(`${JSON.stringify(message)}\n`);
  }
  if (ending === 'end') response.end();
  if (ending === 'reset') setTimeout(() => response.destroy(), 20);
}

export interface ScriptedNode {
  readonly lnd: ScriptedLnd;
  readonly node: LightningNode;
  readonly url: string;
}

/** A macaroon is any bytes to the server. */
export const MACAROON = Buffer.from('0201036c6e64', 'hex');

/** Short waits. */
export const FAST = { waitMs: 1000, graceMs: 300_000, heartbeatMs: 100, answerMs: 300 };

/** Opens the adapter on a scripted server, which answers as an LND that is ready. Both are closed after the test. */
export function scriptedLnd(): (options?: Partial<LndOptions> & { readonly parameters?: string }) => Promise<ScriptedNode> {
  const closing: (() => Promise<unknown> | unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  return async ({ parameters = '', ...options } = {}) => {
    const lnd = new ScriptedLnd();
    const port = await lnd.listen();
    const directory = mkdtempSync(join(tmpdir(), 'satchel-lnd-'));
    writeFileSync(join(directory, 'satchel.macaroon'), MACAROON);
    const url = `lnd+rest://127.0.0.1:${port}?cert=${fixtureFile('tls.cert')}&macaroon=${directory}/satchel.macaroon${parameters}`;
    lnd.replay(recording('11-balances', 'GetInfo'), recording('11-balances', 'GetState'));
    lnd.on('GET /v2/router/htlcevents', { messages: [{ result: { subscribed_event: {} } }], ending: 'silence' });
    const node = openLnd({ url, log: silentLog, timing: FAST, ...options });
    closing.push(
      () => rmSync(directory, { recursive: true, force: true }),
      () => lnd.close(),
      () => node.close(),
    );
    return { lnd, node, url };
  };
}
