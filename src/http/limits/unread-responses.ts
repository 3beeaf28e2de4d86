import { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isPublicText } from '../../accounts/keys.ts';
import { Refusal } from '../../kernel/refusal.ts';
import type { App } from '../app-type.ts';
import { credentialText } from '../auth/credential.ts';
import { isLoopback, networkOf } from './addresses.ts';

export interface UnsentSettings {
  /** Bytes of responses that one key, and one address, may leave unread. */
  readonly maxUnsentBytes: number;
  /** Closes a connection whose client has read nothing of a response for so long. */
  readonly stallMs?: number;
}

/** A response below this size fits into the buffers of the operating system. */
const COUNTED_BYTES = 16_384;
/** A statement is made piece by piece as its client reads; this much of it is in memory. */
const STREAM_BYTES = 2_000_000;
/** So many callers may leave as much unread as they may; beyond that, the oldest response is ended. */
const MAX_CALLERS = 4;
const STALL_MS = 15_000;

interface Response {
  readonly names: readonly string[];
  readonly bytes: number;
  /** Undefined where its loss would leave the outcome of a request unknown. */
  readonly drop: (() => void) | undefined;
}

/** The responses whose clients have not read them yet. */
class UnsentResponses {
  readonly #most: number;
  readonly #open = new Set<Response>();
  readonly #bytes = new Map<string, number>();
  #total = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether none of the callers would have more unread than it may. */
  hasRoom(names: readonly string[], bytes: number): boolean {
    return names.every((name) => {
      const unread = this.#bytes.get(name) ?? 0;
      // One response is always sent, however large it is.
      return unread === 0 || unread + bytes <= this.#most;
    });
  }

  get isEmpty(): boolean {
    return this.#total === 0;
  }

  add(response: Response): void {
    this.#count(response, response.bytes);
    // A Set keeps the order of insertion: the oldest is dropped first.
    for (const older of this.#open) {
      if (this.#total <= this.#most * MAX_CALLERS) break;
      if (!older.drop) continue;
      this.remove(older);
      older.drop();
    }
    this.#open.add(response);
  }

  remove(response: Response): void {
    if (this.#open.delete(response)) this.#count(response, -response.bytes);
  }

  #count({ names }: Response, bytes: number): void {
    this.#total += bytes;
    for (const name of names) {
      const left = (this.#bytes.get(name) ?? 0) + bytes;
      if (left === 0) this.#bytes.delete(name);
      else this.#bytes.set(name, left);
    }
  }
}

/**
 * Limits the memory that unread responses take. A read is 429 while its caller has too much unread. Responses of requests that change
 * something are counted too, but always sent.
 */
export function limitUnsentBytes(app: App, { maxUnsentBytes, stallMs = STALL_MS }: UnsentSettings): void {
  const unsent = new UnsentResponses(maxUnsentBytes);

  app.addHook('onRequest', (request, _reply, done) => {
    if (!unsent.isEmpty && isRead(request) && !unsent.hasRoom(namesOf(request), COUNTED_BYTES)) throw tooMuchUnread();
    done();
  });

  app.addHook('onSend', (request, reply, payload, done) => {
    const bytes = sizeOf(payload);
    if (bytes < COUNTED_BYTES || request.method === 'HEAD') return done(null, payload);
    const names = namesOf(request);
    const canBeLost = isRead(request);
    if (canBeLost && !unsent.hasRoom(names, bytes)) return done(tooMuchUnread());
    const response = { names, bytes, drop: canBeLost ? () => reply.raw.destroy() : undefined };
    unsent.add(response);
    reply.raw.once('close', () => unsent.remove(response));
    closeWhenStalled(reply, stallMs);
    done(null, payload);
  });
}

function tooMuchUnread(): Refusal {
  return new Refusal('rate_limited', 'Read the responses to your earlier requests first: too much of them is unread.');
}

function isRead({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'GET' && !routeOptions.config?.hasSideEffect;
}

/** A key, and an address. What comes from this machine may be a proxy, so its address is not counted. */
function namesOf(request: FastifyRequest): string[] {
  const network = networkOf(request.ip);
  const names = isLoopback(request.ip) ? [] : [network];
  const key = credentialText(request);
  if (key !== undefined) names.push(isPublicText(key) ? `${key} ${network}` : key);
  return names;
}

function sizeOf(payload: unknown): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length;
  return payload ? STREAM_BYTES : 0;
}

/** Node ends a connection on which nothing was read or written for the timeout of its socket. */
function closeWhenStalled(reply: FastifyReply, stallMs: number): void {
  const watch = (socket: Socket) => {
    const before = socket.timeout ?? 0;
    socket.setTimeout(stallMs);
    // By then Node may have set the timeout of an idle connection.
    reply.raw.once('close', () => {
      if (socket.timeout === stallMs) socket.setTimeout(before);
    });
  };
  // A response that waits for an earlier one on its connection has no socket yet; an injected request has none that is a connection.
  if (reply.raw.socket instanceof Socket) watch(reply.raw.socket);
  else if (!reply.raw.socket) reply.raw.once('socket', watch);
}
