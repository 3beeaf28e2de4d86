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
/** The newest events are kept. */
const MAX_EVENTS = 100_000;
const AUTH_KIND = 22_242;
const DELETION_KIND = 5;

/** A Nostr relay in memory (NIP-01, 09, 42), for development and tests. */
export class DevnetRelay {
  readonly behavior: RelayBehavior;
  /** The stored events, in the order of their arrival. Tests may add and remove events. */
  readonly events: NostrEvent[] = [];
  /** The public keys that have authenticated since the start. */
  readonly authenticated: string[] = [];
  readonly #server = createServer((_, response) => response.writeHead(426).end());
  readonly #ids = new Set<string>();
  readonly #clients = new Set<RelayClient>();
  readonly #sockets = new Set<Socket>();
  /** The connections since the start. */
  connectionCount = 0;
  /** The messages that clients have sent since the start. */
  messageCount = 0;
  #port = 0;

  constructor(behavior: RelayBehavior) {
    this.behavior = behavior;
    this.#server.on('connection', (socket) => this.#track(socket));
    this.#server.on('upgrade', (request, socket: Socket, head) => this.accept(request, socket, head));
  }

  get url(): string {
    return `ws://127.0.0.1:${this.#port}`;
  }

  /** Accepts connections on a port of 127.0.0.1, again after `stop`: the events are kept. */
  async start(port = this.#port): Promise<void> {
    await once(this.#server.listen(port, '127.0.0.1'), 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.disconnectAll();
    await closed;
  }

  /** Ends all connections, but accepts new ones. */
  disconnectAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Returns the filters of each request that is open, of all clients. */
  requests(): (readonly RelayFilter[])[] {
    return Array.from(this.#clients).flatMap((client) => Array.from(client.requests.values()));
  }

  /** Stores an event, and sends it to the clients that requested it. */
  store(event: NostrEvent): void {
    if (this.#ids.has(event.id)) return;
    if (event.kind === DELETION_KIND) for (const [name, id = ''] of event.tags) if (name === 'e') this.#remove(id, event.pubkey);
    if (isReplaceable(event.kind))
      for (const one of this.events.filter(({ kind, pubkey }) => kind === event.kind && pubkey === event.pubkey))
        this.#remove(one.id, event.pubkey);
    this.events.push(event);
    this.#ids.add(event.id);
    if (this.events.length > MAX_EVENTS) this.#ids.delete(this.events.shift()?.id ?? '');
    for (const client of this.#clients) client.deliver(event);
  }

  /** Removes stored events, as relays do after some time. */
  forget(isForgotten: (event: NostrEvent) => boolean): void {
    for (const event of this.events.filter(isForgotten)) this.#remove(event.id, event.pubkey);
  }

  #remove(id: string, author: string): void {
    const index = this.events.findIndex((one) => one.id === id && one.pubkey === author);
    if (index === -1) return;
    this.events.splice(index, 1);
    this.#ids.delete(id);
  }

  #track(socket: Socket): void {
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
  }

  /** Accepts a connection that asks for the WebSocket protocol, of this server or another one. */
  accept({ headers }: IncomingMessage, socket: Socket, head: Buffer): void {
    this.#track(socket);
    this.connectionCount += 1;
    const accept = `sec-websocket-accept: ${acceptValue(headers['sec-websocket-key'] ?? '')}`;
    socket.write(['HTTP/1.1 101 Switching Protocols', 'upgrade: websocket', 'connection: Upgrade', accept, '', ''].join('\r\n'));
    const limits = { maxMessageBytes: this.behavior.maxMessageBytes, maxUnsentBytes: MAX_UNSENT_BYTES };
    const connection = new WebSocketConnection(socket, { ...limits, isClient: false, head });
    const client = new RelayClient(this, (message) => connection.send(JSON.stringify(message)));
    this.#clients.add(client);
    connection.listen({
      onText: (text) => {
        this.messageCount += 1;
        client.read(text);
      },
      onEnd: () => this.#clients.delete(client),
    });
    client.greet();
  }
}

/** Creates a relay that accepts the connections it is given. */
export function createRelay(behavior: Partial<RelayBehavior> = {}): DevnetRelay {
  return new DevnetRelay({
    requiresAuth: false,
    refuseEvents: undefined,
    refuseRequests: undefined,
    isStalled: false,
    deliversTwice: false,
    sendsNoOk: false,
    maxMessageBytes: 65_536,
    ...behavior,
  });
}

/** Starts a relay on a port of 127.0.0.1, a free one by default. */
export async function startRelay({
  port = 0,
  ...behavior
}: Partial<RelayBehavior> & { readonly port?: number } = {}): Promise<DevnetRelay> {
  const relay = createRelay(behavior);
  await relay.start(port);
  return relay;
}

type RelayMessage = readonly [type: string, ...rest: unknown[]];

/** A connection of a client. */
class RelayClient {
  readonly requests = new Map<string, readonly RelayFilter[]>();
  readonly #relay: DevnetRelay;
  readonly #sendMessage: (message: RelayMessage) => void;
  readonly #challenge = randomUUID();
  #isAuthenticated = false;

  constructor(relay: DevnetRelay, sendMessage: (message: RelayMessage) => void) {
    this.#relay = relay;
    this.#sendMessage = sendMessage;
  }

  greet(): void {
    if (this.#relay.behavior.requiresAuth) this.#send(['AUTH', this.#challenge]);
  }

  read(text: string): void {
    if (!this.#relay.behavior.isStalled) this.#send(this.#answer(parseJson(text)));
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
    const { behavior, events } = this.#relay;
    if (behavior.refuseRequests !== undefined) return ['CLOSED', id, behavior.refuseRequests];
    if (this.#mustAuthenticate()) return ['CLOSED', id, 'auth-required: authenticate first'];
    this.requests.set(id, filters);
    const stored = new Set(filters.flatMap((filter) => newest(events, filter)));
    for (const event of stored) this.#sendEvent(id, event);
    return ['EOSE', id];
  }

  #receive(event: NostrEvent): RelayMessage | undefined {
    const { behavior } = this.#relay;
    const refusal = this.#mustAuthenticate() ? 'auth-required: authenticate first' : behavior.refuseEvents;
    if (refusal !== undefined) return ['OK', event.id, false, refusal];
    if (!verifyEvent(event)) return ['OK', event.id, false, 'invalid: the id or the signature is wrong'];
    this.#relay.store(event);
    return behavior.sendsNoOk ? undefined : ['OK', event.id, true, ''];
  }

  #authenticate(event: NostrEvent): RelayMessage {
    const isValid = event.kind === AUTH_KIND && tagValue(event, 'challenge') === this.#challenge && verifyEvent(event);
    this.#isAuthenticated ||= isValid;
    if (isValid) this.#relay.authenticated.push(event.pubkey);
    return ['OK', event.id, isValid, isValid ? '' : 'invalid: wrong challenge or signature'];
  }

  #mustAuthenticate(): boolean {
    return this.#relay.behavior.requiresAuth && !this.#isAuthenticated;
  }

  #sendEvent(id: string, event: NostrEvent): void {
    const times = this.#relay.behavior.deliversTwice ? 2 : 1;
    for (let i = 0; i < times; i += 1) this.#send(['EVENT', id, event]);
  }

  #send(message: RelayMessage | undefined): void {
    if (message && !this.#relay.behavior.isStalled) this.#sendMessage(message);
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
