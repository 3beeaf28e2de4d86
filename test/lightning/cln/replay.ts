import { readFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { onTestFinished } from 'vitest';

const FIXTURES = join(import.meta.dirname, 'fixtures');
const TLS = join(FIXTURES, 'tls');

/** A recording of lightningd. `response` is its text, because numbers such as `groupid` do not survive parsing. */
export interface Recording {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly response: string;
}

/** Returns the recording in `fixtures/<name>.json`. */
export function recording(name: string): Recording {
  const text = readFileSync(join(FIXTURES, `${name}.json`), 'utf8');
  const keepDigits = (_key: string, value: unknown, { source }: { source: string }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) ? `digits:${source}` : value;
  const parsed = JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown) as { request: Recording; response: object };
  const response = JSON.stringify(parsed.response).replaceAll(/"digits:(\d+)"/g, '$1');
  return { ...parsed.request, response };
}

/** The name of a recording, or a result or an error. */
export type Answer =
  | string
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }
  | 'lost';

type Params = Readonly<Record<string, unknown>>;

/** The answers to a method, in order; the last one is repeated. Or a function of the parameters. A promise delays the answer. */
export type Script = Record<string, Answer | readonly Answer[] | ((params: Params) => Answer | Promise<Answer>)>;

export interface Replay {
  readonly calls: { readonly method: string; readonly params: Params }[];
  /** The connections; of clnrest also those that were closed. */
  readonly sockets: ReadonlySet<Duplex>;
  /** How many calls wait for a change of the node. Those that were aborted count. */
  readonly waiting: number;
  /** Replaces the answers to some methods. */
  change(script: Script): void;
  /** Forgets all keys of the datastore, like a backup that is older than they are. */
  loseDatastore(): void;
  /** Breaks the connections, and answers no more. */
  stop(): void;
}

/** The answers of a node without payments and invoices. */
const IDLE: Script = {
  getinfo: 'getinfo',
  help: ({ command }) => {
    if (command === 'decode') return { error: { code: -32601, message: 'Unknown command decode' } };
    return { result: { help: [{ command: `${command} …` }] } };
  },
  'autoclean-status': 'autoclean-status',
  wait: ({ nextvalue, subsystem, indexname }) =>
    nextvalue === 0 ? { result: { subsystem, [String(indexname)]: 0 } } : new Promise<Answer>(() => undefined),
  listinvoices: { result: { invoices: [] } },
  listsendpays: { result: { payments: [] } },
  listpays: { result: { pays: [] } },
  listhtlcs: { result: { htlcs: [] } },
  listpeerchannels: 'listpeerchannels-with-htlc',
};

/** Answers as lightningd did in the recordings. Only the datastore has a state. */
class Replayed implements Replay {
  readonly calls: { method: string; params: Params }[] = [];
  readonly sockets = new Set<Duplex>();
  waiting = 0;
  readonly #script: Script;
  readonly #used = new Map<string, number>();
  readonly #datastore = new Map<string, { text: string; generation: number }>();

  constructor(script: Script) {
    this.#script = { ...IDLE, ...script };
  }

  change(script: Script): void {
    Object.assign(this.#script, script);
    for (const method of Object.keys(script)) this.#used.delete(method);
  }

  loseDatastore(): void {
    this.#datastore.clear();
  }

  stop(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Returns the text of the response, or undefined when it is lost. */
  async answer(method: string, params: Params): Promise<string | undefined> {
    this.calls.push({ method, params });
    if (method === 'datastore') return this.#write(params as never);
    if (method === 'listdatastore') return this.#read(params as never);
    const entry = this.#script[method];
    if (entry === undefined) return JSON.stringify({ error: { code: -32601, message: `Unknown command '${method}'` } });
    const isWaiting = method === 'wait' && params.nextvalue !== 0;
    if (isWaiting) this.waiting += 1;
    const answer = typeof entry === 'function' ? await entry(params) : this.#next(method, entry);
    if (isWaiting) this.waiting -= 1;
    if (answer === 'lost') return undefined;
    return typeof answer === 'string' ? recording(answer).response : JSON.stringify(answer);
  }

  #next(method: string, entry: Answer | readonly Answer[]): Answer {
    if (!Array.isArray(entry)) return entry as Answer;
    const index = this.#used.get(method) ?? 0;
    this.#used.set(method, index + 1);
    return (entry[Math.min(index, entry.length - 1)] ?? 'lost') as Answer;
  }

  #write(params: { key: string[]; string: string; mode: string; generation?: number }): string {
    const key = params.key.join('/');
    const stored = this.#datastore.get(key);
    if (params.mode === 'must-create' && stored) return recording('datastore-exists').response;
    if (params.mode === 'must-replace' && !stored) return JSON.stringify({ error: { code: 1203, message: 'Key does not exist' } });
    if (params.mode === 'must-replace' && stored?.generation !== params.generation)
      return JSON.stringify({ error: { code: 1204, message: 'generation is different' } });
    const generation = stored ? stored.generation + 1 : 0;
    this.#datastore.set(key, { text: params.string, generation });
    return JSON.stringify({ result: { key: params.key, generation, string: params.string } });
  }

  #read({ key }: { key: string[] }): string {
    const stored = this.#datastore.get(key.join('/'));
    const entries = stored ? [{ key, generation: stored.generation, string: stored.text }] : [];
    return JSON.stringify({ result: { datastore: entries } });
  }
}

let sockets = 0;

/** Serves recordings on a Unix socket until the test ends. */
export async function replayOnSocket(script: Script = {}): Promise<Replay & { readonly url: string }> {
  const replayed = new Replayed(script);
  const server = createServer((socket) => {
    replayed.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => replayed.sockets.delete(socket));
    let text = '';
    socket.on('data', async (chunk) => {
      text += chunk.toString();
      let request: { id: string; method: string; params: Params };
      try {
        request = JSON.parse(text);
      } catch {
        return;
      }
      text = '';
      const response = await replayed.answer(request.method, request.params);
      if (response === undefined) socket.destroy();
      else socket.write(`{"jsonrpc":"2.0","id":${JSON.stringify(request.id)},${response.slice(1)}\n\n`);
    });
  });
  const path = join(tmpdir(), `satchel-cln-${process.pid}-${++sockets}`);
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(() => {
    replayed.stop();
    server.close();
  });
  return Object.assign(replayed, { url: `cln+unix://${path}` });
}

export const RUNE = 'kW7qSt2Pdrcw9Q_bC4tBfaZKRUCvp1nf8QnhTdlQ5Yo9MQ==';
export const CERT = join(TLS, 'cert.pem');

/** Serves recordings like clnrest until the test ends. */
export async function replayOnRest(script: Script = {}): Promise<Replay & { readonly port: number; readonly url: string }> {
  const replayed = new Replayed(script);
  const server = createHttpsServer({ key: readFileSync(join(TLS, 'key.pem')), cert: readFileSync(CERT) }, async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const send = (status: number, body: unknown) => response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
    if (request.headers.rune !== RUNE) return send(401, { code: 1502, data: null, message: 'Not permitted: wrong rune' });
    const answer = await replayed.answer(request.url?.replace('/v1/', '') ?? '', JSON.parse(text) as Params);
    if (answer === undefined) return response.destroy();
    const [, kind, body = ''] = /^\{\s*"(result|error)":([\s\S]*)\}$/.exec(answer) ?? [];
    return send(kind === 'result' ? 201 : 500, body);
  });
  server.on('connection', (socket) => replayed.sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    replayed.stop();
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return Object.assign(replayed, { port, url: `cln+rest://127.0.0.1:${port}?cert=${CERT}&rune=${RUNE}` });
}
