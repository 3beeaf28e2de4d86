import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../kernel/refusal.ts';
import { networkOf } from './addresses.ts';
import { OpenCounts } from './open-counts.ts';
import { presentedText } from './presented-key.ts';
import { type Rate, TokenBuckets } from './token-buckets.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Its key has too many requests open: it is answered with what is known now. {@link Limits} alone sets it. */
    mustNotWait: boolean;
    /** It was counted against its key. {@link Limits} alone sets it. */
    isCharged: boolean;
  }
}

export interface LimitSettings {
  /** For each key. */
  readonly keyRate: Rate;
  /** For each address, of requests without a key, with one that is unknown, and of public LNURL routes. */
  readonly addressRate: Rate;
  /** Requests of one key that are answered at the same time. */
  readonly maxAtOnce: number;
}

/** What one caller may ask of the service. Each instance counts for itself. */
export interface Limits {
  /** Before anything else is done for a request. @throws Refusal `rate_limited`, `payload_too_large`, `validation_failed` */
  admit(request: FastifyRequest, reply: FastifyReply): void;
  /** The key that came with the request is one: from now on it is counted by itself, and no longer with its address. */
  keyIsGood(request: FastifyRequest): void;
  /** Counts a request against its key that {@link Limits.admit} has let through uncounted. @throws Refusal `rate_limited` */
  charge(request: FastifyRequest): void;
  /** The key that came with the request is none, or nobody's: its address is charged. */
  keyIsUnknown(request: FastifyRequest): void;
}

const MAX_BUCKETS = 100_000;
const MAX_GOOD_KEYS = 100_000;
const MAX_QUERY_LENGTH = 12_000;
const MAX_QUERY_PARAMETERS = 100;
const MAX_FIELDS = 50;

export function createLimits(settings: LimitSettings, nowMs: () => number = () => performance.now()): Limits {
  const keys = new TokenBuckets(settings.keyRate, MAX_BUCKETS, nowMs);
  const addresses = new TokenBuckets(settings.addressRate, MAX_BUCKETS, nowMs);
  const good = new Set<string>();
  const atOnce = new OpenCounts();

  const isFull = (key: string) => atOnce.of(key) >= settings.maxAtOnce;

  function admitOne(key: string, reply: FastifyReply): void {
    if (isFull(key)) throw new Refusal('rate_limited', 'The key has too many requests open at once.');
    atOnce.add(key, reply.raw);
  }

  function charge(request: FastifyRequest): void {
    const key = presentedText(request);
    request.isCharged = true;
    if (key !== undefined && good.has(key) && !keys.take(key)) throw new Refusal('rate_limited');
  }

  /** It is not refused, but it uses up what others of its key may ask, and may find no room to wait in. */
  function countLater(key: string, request: FastifyRequest, reply: FastifyReply): void {
    request.mustNotWait = isFull(key);
    atOnce.add(key, reply.raw);
    reply.raw.once('close', () => {
      if (!request.isCharged) keys.take(key);
    });
  }

  return {
    charge,
    admit(request, reply) {
      requireShortQuery(request.raw.url ?? '');
      const { url, config } = request.routeOptions;
      if (url !== undefined && UNCOUNTED.has(url)) return;
      const key = config?.lnurl ? undefined : presentedText(request);
      if (key !== undefined && good.has(key)) {
        // A refusal promises that nothing was paid, and a repetition may be of something that was: whoever keeps outcomes charges for new ones.
        if (keepsOutcomes(request)) return countLater(key, request, reply);
        charge(request);
        return admitOne(key, reply);
      }
      const address = networkOf(request.ip);
      if (key === undefined ? !addresses.take(address) : addresses.isEmpty(address)) throw new Refusal('rate_limited');
    },
    keyIsGood(request) {
      const key = presentedText(request);
      if (key === undefined || good.has(key)) return;
      if (good.size === MAX_GOOD_KEYS) good.delete(good.values().next().value as string);
      good.add(key);
    },
    keyIsUnknown(request) {
      const key = presentedText(request);
      if (key === undefined) return;
      good.delete(key);
      addresses.take(networkOf(request.ip));
    },
  };
}

/** Every POST of the API does its work under {@link Once}; nothing else looks at the header. */
function keepsOutcomes({ method, headers, routeOptions }: FastifyRequest): boolean {
  return method === 'POST' && headers['idempotency-key'] !== undefined && routeOptions.url?.startsWith('/v1/') === true;
}

/** What watches the service must see it also when somebody else floods it. */
const UNCOUNTED: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** @throws Refusal */
function requireShortQuery(url: string): void {
  const start = url.indexOf('?');
  if (start < 0) return;
  const query = url.slice(start + 1);
  if (query.length > MAX_QUERY_LENGTH) throw new Refusal('payload_too_large', `The query is longer than ${MAX_QUERY_LENGTH} characters.`);
  const parameters = query.split('&');
  if (parameters.length > MAX_QUERY_PARAMETERS)
    throw new Refusal('payload_too_large', `The query has more than ${MAX_QUERY_PARAMETERS} parameters.`);
  for (const parameter of parameters) {
    const text = decoded(parameter);
    if (text.startsWith('fields=') && text.split(',').length > MAX_FIELDS)
      throw new Refusal('validation_failed', `fields names more than ${MAX_FIELDS} fields.`);
  }
}

/** A text that is no encoding of anything stays as it is. */
function decoded(parameter: string): string {
  try {
    return decodeURIComponent(parameter.replaceAll('+', ' '));
  } catch {
    return parameter;
  }
}
