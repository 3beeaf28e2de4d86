import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorMessage, type Log } from '../../core/kernel/log.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { WaitingSlots } from '../../http/limits/callers.ts';

/** The waits of live streams. Tests shorten them. */
export interface StreamTiming {
  /** Between two comments, which keep the connection open. */
  readonly heartbeatMs: number;
  /** Between two checks of the stream's key. */
  readonly checkMs: number;
  /** A client that reads nothing for this long is disconnected. */
  readonly stallMs: number;
}

export const STREAM_TIMING: StreamTiming = { heartbeatMs: 15_000, checkMs: 5000, stallMs: 15_000 };

/** How long a client waits before it connects again. */
export const RETRY_MS = 2000;

export interface NewStream {
  /** Yields frames of `text/event-stream` until the signal aborts, or until the stream ends. */
  frames(signal: AbortSignal): AsyncGenerator<string>;
  /** Returns whether the stream may continue: whether its key is still valid. */
  isAllowed?(): Promise<boolean>;
}

/** Returns whether the client asks for a stream. HEAD has no body to stream. */
export function wantsStream({ method, headers }: FastifyRequest): boolean {
  return method === 'GET' && headers.accept?.includes('text/event-stream') === true;
}

/** Returns whether a response is a live stream. */
export function isStream(reply: FastifyReply): boolean {
  return reply.getHeader('content-type') === STREAM_TYPE;
}

/** Sends responses of the type `text/event-stream`, which stay open. */
export class Streams {
  readonly #slots: WaitingSlots;
  readonly #log: Log;
  readonly #timing: StreamTiming;
  readonly #closing = new AbortController();

  constructor({ slots, log, timing }: { slots: WaitingSlots; log: Log; timing: StreamTiming }) {
    this.#slots = slots;
    this.#log = log;
    this.#timing = timing;
  }

  /** Sends a stream until it ends. @throws Refusal `rate_limited` when too many are open; nothing was sent then. */
  async send(request: FastifyRequest, reply: FastifyReply, { frames, isAllowed }: NewStream): Promise<FastifyReply> {
    const { raw } = reply;
    if (!this.#slots.take(request, reply)) throw new Refusal('rate_limited', TOO_MANY);
    const own = new AbortController();
    const abort = () => own.abort();
    raw.once('close', abort);
    if (raw.destroyed) abort();
    const signal = AbortSignal.any([own.signal, this.#closing.signal]);
    const all = frames(signal);
    try {
      // An error before the first frame is a response with its own status.
      const first = await all.next();
      reply.headers(STREAM_HEADERS).hijack();
      for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value);
      raw.writeHead(200);
      if (!first.done) raw.write(first.value);
      this.#supervise(raw, own, isAllowed);
      await this.#sendAll(raw, all, signal);
    } catch (error) {
      if (!reply.sent) throw error;
      // The client connects again, and gets an error that it can read.
      this.#log.warn({ reason: errorMessage(error), requestId: request.id }, 'a live stream ended');
    } finally {
      abort();
    }
    raw.socket?.setTimeout(this.#timing.stallMs);
    raw.end();
    return reply;
  }

  /** Ends all streams. */
  close(): void {
    this.#closing.abort();
  }

  /** Sends heartbeats and checks the key, until the stream ends. */
  #supervise(raw: ServerResponse, own: AbortController, isAllowed: NewStream['isAllowed']): void {
    // The client may have disconnected before the first frame. The signal does not abort again, which would end the timers.
    if (own.signal.aborted) return;
    // A client that has not read the last frame needs no heartbeat, and would get all of them later.
    const heartbeat = setInterval(() => raw.writableNeedDrain || raw.write(':\n\n'), this.#timing.heartbeatMs);
    const check = setInterval(() => void isAllowed?.().then((allowed) => allowed || own.abort()), this.#timing.checkMs);
    own.signal.addEventListener('abort', () => {
      clearInterval(heartbeat);
      clearInterval(check);
    });
  }

  async #sendAll(raw: ServerResponse, frames: AsyncGenerator<string>, signal: AbortSignal): Promise<void> {
    for await (const frame of frames) {
      if (signal.aborted) return;
      // The next frame is made when this one was read, so a stream keeps at most one frame and Node's buffer in memory.
      if (!raw.write(frame)) await untilRead(raw, this.#timing.stallMs, signal);
    }
  }
}

const TOO_MANY = 'Too many live streams are open. Close those that you no longer read.';

const STREAM_TYPE = 'text/event-stream; charset=utf-8';

const STREAM_HEADERS = {
  'content-type': STREAM_TYPE,
  // For nginx, which would otherwise collect events before it passes them on.
  'x-accel-buffering': 'no',
  // The connection is not used again, so it cannot delay the shutdown.
  connection: 'close',
};

/** Waits until the client has read what was written. Node closes a connection on which nothing was read for `stallMs`. */
async function untilRead(raw: ServerResponse, stallMs: number, signal: AbortSignal): Promise<void> {
  const { socket } = raw;
  const before = socket?.timeout ?? 0;
  socket?.setTimeout(stallMs);
  await once(raw, 'drain', { signal }).catch(() => undefined);
  socket?.setTimeout(before);
}
