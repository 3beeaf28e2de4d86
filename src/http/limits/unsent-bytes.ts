import { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isPublicText } from '../../core/accounts/keys.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { App } from '../app-type.ts';
import { credentialText } from '../auth/credential.ts';
import { isLoopback, networkOf } from './addresses.ts';

export interface UnsentBytesSettings {
  /** Bytes of unread responses allowed for one key, and for one address. */
  readonly maxUnsentBytes: number;
  /** A connection is closed when its client has read nothing of a response for this long. */
  readonly stallMs?: number;
}

/** Smaller responses fit into the socket buffers of the operating system and are not counted. */
const COUNTED_BYTES = 16_384;
/** Memory of a streamed response: a statement is produced piece by piece while its client reads. */
const STREAM_BYTES = 2_000_000;
/** The limit for all callers together, as a multiple of the limit for one. Beyond it, the oldest response is dropped. */
const MAX_CALLERS = 4;
const STALL_MS = 15_000;

interface UnsentResponse {
  /** The key and the address that it counts against. */
  readonly names: readonly string[];
  readonly bytes: number;
  /** Undefined for a response whose loss would leave the client without the outcome of its request. */
  readonly drop: (() => void) | undefined;
}

/** The responses that their clients have not read yet. */
class UnsentResponses {
  readonly #maxBytes: number;
  readonly #open = new Set<UnsentResponse>();
  readonly #bytes = new Map<string, number>();
  #total = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Returns whether a response of this size keeps all names within the limit. */
  fits(names: readonly string[], bytes: number): boolean {
    return names.every((name) => {
      const unread = this.#bytes.get(name) ?? 0;
      // One response is always sent, however large it is.
      return unread === 0 || unread + bytes <= this.#maxBytes;
    });
  }

  get isEmpty(): boolean {
    return this.#total === 0;
  }

  add(response: UnsentResponse): void {
    this.#count(response, response.bytes);
    // A Set keeps insertion order, so the oldest response is dropped first.
    for (const older of this.#open) {
      if (this.#total <= this.#maxBytes * MAX_CALLERS) break;
      if (!older.drop) continue;
      this.remove(older);
      older.drop();
    }
    this.#open.add(response);
  }

  remove(response: UnsentResponse): void {
    if (this.#open.delete(response)) this.#count(response, -response.bytes);
  }

  #count({ names }: UnsentResponse, bytes: number): void {
    this.#total += bytes;
    for (const name of names) {
      const left = (this.#bytes.get(name) ?? 0) + bytes;
      if (left === 0) this.#bytes.delete(name);
      else this.#bytes.set(name, left);
    }
  }
}

/**
 * Limits the memory of unread responses. A read gets 429 while its caller has too many unread bytes. Responses to requests that change
 * something are counted, but always sent.
 */
export function limitUnsentBytes(app: App, { maxUnsentBytes, stallMs = STALL_MS }: UnsentBytesSettings): void {
  const unsent = new UnsentResponses(maxUnsentBytes);

  app.addHook('onRequest', (request, _reply, done) => {
    if (!unsent.isEmpty && isRead(request) && !unsent.fits(namesOf(request), COUNTED_BYTES)) throw tooManyUnreadBytes();
    done();
  });

  app.addHook('onSend', (request, reply, payload, done) => {
    const bytes = sizeOf(payload);
    if (bytes < COUNTED_BYTES || request.method === 'HEAD') return done(null, payload);
    const names = namesOf(request);
    const canBeDropped = isRead(request);
    if (canBeDropped && !unsent.fits(names, bytes)) return done(tooManyUnreadBytes());
    const response = { names, bytes, drop: canBeDropped ? () => reply.raw.destroy() : undefined };
    unsent.add(response);
    reply.raw.once('close', () => unsent.remove(response));
    closeWhenStalled(reply, stallMs);
    done(null, payload);
  });
}

function tooManyUnreadBytes(): Refusal {
  return new Refusal('rate_limited', 'Too many bytes of earlier responses are unread. Read those responses first.');
}

function isRead({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'GET' && !routeOptions.config?.hasSideEffect;
}

/** Returns the key and the address. Requests from this machine may come through a reverse proxy, so its address is not counted. */
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

/** Uses the socket timeout: Node closes a connection on which nothing was read or written for that long. */
function closeWhenStalled(reply: FastifyReply, stallMs: number): void {
  const watch = (socket: Socket) => {
    const before = socket.timeout ?? 0;
    socket.setTimeout(stallMs);
    // Node may have set the keep-alive timeout by then, which must stay.
    reply.raw.once('close', () => {
      if (socket.timeout === stallMs) socket.setTimeout(before);
    });
  };
  // A response that waits for an earlier one on its connection has no socket yet. An injected request has no real socket.
  if (reply.raw.socket instanceof Socket) watch(reply.raw.socket);
  else if (!reply.raw.socket) reply.raw.once('socket', watch);
}
