import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { parseJson } from '../src/core/kernel/json.ts';
import { type NostrEvent, readEvent, tagValue, verifyEvent } from '../src/core/nostr/event.ts';
import type { RelayFilter } from '../src/core/nostr/filters.ts';
import { acceptValue, WebSocketConnection } from '../src/core/nostr/websocket.ts';

/** The behavior of the relay, and its faults. Each can be changed while it runs. */
export interface RelayBehavior {
  /** Requires authentication (NIP-42) for requests and events. */
  requiresAuth: boolean;
  /** Refuses events with this message, such as `rate-limited: slow down`. */
  refuseEvents: string | undefined;
  /** Closes each request with this message. */
  refuseRequests: string | undefined;
  /** Reads and answers nothing, but keeps the connections open. */
  isStalled: boolean;
  /** Sends each event twice. */
  deliversTwice: boolean;
  /** Sends no OK for events, but stores and delivers them. */
  sendsNoOk: boolean;
  maxMessageBytes: number;
}

const MAX_UNSENT_BYTES = 16 * 2 ** 20;
const AUTH_KIND = 22_242;
const DELETION_KIND = 5;

export type DevnetRelay = Awaited<ReturnType<typeof startRelay>>;

/** Starts a Nostr relay in memory (NIP-01, 09, 42) on 127.0.0.1, for development and tests. */
export async function startRelay({ port = 0, ...changes }: Partial<RelayBehavior> & { readonly port?: number } = {}) {
  const behavior: RelayBehavior = {
    requiresAuth: false,
    refuseEvents: undefined,
    refuseRequests: undefined,
    isStalled: false,
    deliversTwice: false,
    sendsNoOk: false,
    maxMessageBytes: 65_536,
    ...changes,
  };
  const events: NostrEvent[] = [];
  const clients = new Set<RelayClient>();
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((_, response) => response.writeHead(426).end());
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('upgrade', ({ headers }: IncomingMessage, socket: Socket, head: Buffer) => {
    connections += 1;
    const accept = acceptValue(headers['sec-websocket-key'] ?? '');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
    );
    const limits = { maxMessageBytes: behavior.maxMessageBytes, maxUnsentBytes: MAX_UNSENT_BYTES };
    const connection = new WebSocketConnection(socket, { ...limits, isClient: false, head });
    const client = new RelayClient({ behavior, events, store, send: (message) => connection.send(JSON.stringify(message)) });
    clients.add(client);
    connection.listen({ onText: (text) => client.read(text), onEnd: () => clients.delete(client) });
    client.greet();
  });

  function store(event: NostrEvent): void {
    if (events.some(({ id }) => id === event.id)) return;
    if (event.kind === DELETION_KIND) for (const [, id = ''] of event.tags.filter(([name]) => name === 'e')) remove(id, event.pubkey);
    if (isReplaceable(event.kind)) for (const one of events.filter(({ kind }) => kind === event.kind)) remove(one.id, event.pubkey);
    events.push(event);
    for (const client of clients) client.deliver(event);
  }

  function remove(id: string, author: string): void {
    const index = events.findIndex((one) => one.id === id && one.pubkey === author);
    if (index !== -1) events.splice(index, 1);
  }

  function disconnectAll(): void {
    for (const socket of sockets) socket.destroy();
  }

  async function listen(at: number): Promise<number> {
    await once(server.listen(at, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  }

  async function stop(): Promise<void> {
    const closed = new Promise((resolve) => server.close(resolve));
    disconnectAll();
    await closed;
  }

  const bound = await listen(port);
  return {
    url: `ws://127.0.0.1:${bound}`,
    behavior,
    /** The stored events, in the order of their arrival. Tests may add and remove events. */
    events,
    /** Sends an event to the clients that requested it, and stores it. */
    store,
    /** The connections since the start. */
    connectionCount: () => connections,
    /** The filters of each request that is open, of all clients. */
    requests: () => Array.from(clients).flatMap((client) => Array.from(client.requests.values())),
    /** Ends all connections, but accepts new ones. */
    disconnectAll,
    stop,
    /** Accepts connections at the same URL again. The events are kept. */
    async start(): Promise<void> {
      await listen(bound);
    },
  };
}

type RelayMessage = readonly [type: string, ...rest: unknown[]];

interface RelayClientOptions {
  readonly behavior: RelayBehavior;
  readonly events: readonly NostrEvent[];
  store(event: NostrEvent): void;
  send(message: RelayMessage): void;
}

/** A connection of a client. */
class RelayClient {
  readonly requests = new Map<string, readonly RelayFilter[]>();
  readonly #options: RelayClientOptions;
  readonly #challenge = randomUUID();
  #isAuthenticated = false;

  constructor(options: RelayClientOptions) {
    this.#options = options;
  }

  greet(): void {
    if (this.#options.behavior.requiresAuth) this.#send(['AUTH', this.#challenge]);
  }

  read(text: string): void {
    if (!this.#options.behavior.isStalled) this.#send(this.#answer(parseJson(text)));
  }

  #answer(message: unknown): RelayMessage | undefined {
    const [type, first, ...rest] = Array.isArray(message) ? (message as unknown[]) : [];
    if (type === 'REQ' && typeof first === 'string') return this.#open(first, rest as RelayFilter[]);
    if (type === 'CLOSE' && typeof first === 'string') {
      this.requests.delete(first);
      return undefined;
    }
    const event = readEvent(first);
    if (event && type === 'EVENT') return this.#receive(event);
    if (event && type === 'AUTH') return this.#authenticate(event);
    return ['NOTICE', 'invalid: unknown message'];
  }

  /** Sends an event that has arrived, if a request asks for it. */
  deliver(event: NostrEvent): void {
    for (const [id, filters] of this.requests) if (filters.some((filter) => matches(filter, event))) this.#sendEvent(id, event);
  }

  #open(id: string, filters: readonly RelayFilter[]): RelayMessage {
    const { behavior, events } = this.#options;
    if (behavior.refuseRequests !== undefined) return ['CLOSED', id, behavior.refuseRequests];
    if (this.#mustAuthenticate()) return ['CLOSED', id, 'auth-required: authenticate first'];
    this.requests.set(id, filters);
    const stored = new Set(filters.flatMap((filter) => newest(events, filter)));
    for (const event of stored) this.#sendEvent(id, event);
    return ['EOSE', id];
  }

  #receive(event: NostrEvent): RelayMessage | undefined {
    const { behavior, store } = this.#options;
    const refusal = this.#mustAuthenticate() ? 'auth-required: authenticate first' : behavior.refuseEvents;
    if (refusal !== undefined) return ['OK', event.id, false, refusal];
    if (!verifyEvent(event)) return ['OK', event.id, false, 'invalid: the id or the signature is wrong'];
    store(event);
    return behavior.sendsNoOk ? undefined : ['OK', event.id, true, ''];
  }

  #authenticate(event: NostrEvent): RelayMessage {
    const isValid = event.kind === AUTH_KIND && tagValue(event, 'challenge') === this.#challenge && verifyEvent(event);
    this.#isAuthenticated ||= isValid;
    return ['OK', event.id, isValid, isValid ? '' : 'invalid: wrong challenge or signature'];
  }

  #mustAuthenticate(): boolean {
    return this.#options.behavior.requiresAuth && !this.#isAuthenticated;
  }

  #sendEvent(id: string, event: NostrEvent): void {
    const times = this.#options.behavior.deliversTwice ? 2 : 1;
    for (let i = 0; i < times; i += 1) this.#send(['EVENT', id, event]);
  }

  #send(message: RelayMessage | undefined): void {
    if (message && !this.#options.behavior.isStalled) this.#options.send(message);
  }
}

/** A relay keeps only the newest event of such a kind from each author (NIP-01). */
function isReplaceable(kind: number): boolean {
  return kind >= 10_000 && kind < 20_000;
}

/** Returns the stored events of a filter, the newest first. */
function newest(events: readonly NostrEvent[], filter: RelayFilter): NostrEvent[] {
  const found = events.filter((event) => matches(filter, event)).sort((a, b) => b.created_at - a.created_at);
  return found.slice(0, filter.limit ?? found.length);
}

function matches(filter: RelayFilter, event: NostrEvent): boolean {
  const hasTag = (name: string, values: readonly string[] | undefined) =>
    !values || event.tags.some(([tag, value]) => tag === name && value !== undefined && values.includes(value));
  return (
    (filter.ids?.includes(event.id) ?? true) &&
    (filter.authors?.includes(event.pubkey) ?? true) &&
    (filter.kinds?.includes(event.kind) ?? true) &&
    hasTag('e', filter['#e']) &&
    hasTag('p', filter['#p']) &&
    event.created_at >= (filter.since ?? 0) &&
    event.created_at <= (filter.until ?? Number.MAX_SAFE_INTEGER)
  );
}
