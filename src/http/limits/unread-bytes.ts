import type { ServerResponse } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { App } from '../app-type.ts';
import { callerOf } from './callers.ts';
import { OpenCounts } from './open-counts.ts';

/** Smaller responses fit into the socket buffers of the operating system and are not counted. */
const COUNTED_BYTES = 16_384;
/** Memory of a streamed response: a statement is produced piece by piece while its client reads. */
const STREAM_BYTES = 2_000_000;
/** The limit for all callers together, as a multiple of the limit for one. Beyond it, the oldest response is dropped. */
const MAX_CALLERS = 4;

/**
 * Limits the memory of responses that their clients have not read yet. A caller with too many gets 429 for its reads. Responses to requests
 * that change something are counted, but always sent, because their clients must learn the outcome.
 */
export function limitUnreadBytes(app: App, maxBytes: number): void {
  const ofCallers = new OpenCounts();
  /** A Map keeps the order of insertion, so the oldest response is dropped first. */
  const unread = new Map<ServerResponse, { readonly bytes: number; readonly canBeDropped: boolean }>();
  let total = 0;

  function release(response: ServerResponse): void {
    total -= unread.get(response)?.bytes ?? 0;
    unread.delete(response);
  }

  app.addHook('onSend', (request, { raw }, payload, done) => {
    const bytes = sizeOf(payload);
    if (bytes < COUNTED_BYTES || request.method === 'HEAD' || raw.destroyed) return done(null, payload);
    const { payer, kind } = callerOf(request);
    const canBeDropped = isReadOnly(request);
    const max = canBeDropped && kind !== 'proxy' ? maxBytes : Number.POSITIVE_INFINITY;
    if (!ofCallers.add([{ name: payer, max }], raw, bytes)) return done(new Refusal('rate_limited', TOO_MANY));
    total += bytes;
    for (const [older, response] of unread) {
      if (total <= maxBytes * MAX_CALLERS) break;
      if (!response.canBeDropped) continue;
      release(older);
      older.destroy();
    }
    unread.set(raw, { bytes, canBeDropped });
    raw.once('close', () => release(raw));
    done(null, payload);
  });
}

const TOO_MANY = 'Too many bytes of earlier responses are unread. Read those responses first.';

function isReadOnly({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'GET' && !routeOptions.config?.hasSideEffect;
}

function sizeOf(payload: unknown): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length;
  return payload ? STREAM_BYTES : 0;
}
