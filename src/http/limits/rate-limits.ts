import type { FastifyReply, FastifyRequest } from 'fastify';
import { canonicalText, isPublicText } from '../../accounts/keys.ts';
import { Refusal } from '../../kernel/refusal.ts';
import { credentialText } from '../auth/credential.ts';
import { networkOf } from './addresses.ts';
import { OpenCounts } from './open-counts.ts';
import { type Rate, TokenBuckets } from './token-buckets.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Its key has too many requests open, so the response contains the current state instead of waiting. {@link Limits} alone sets it. */
    mustNotWait: boolean;
    /** The address that has paid a token for this request. {@link Limits} alone sets it. */
    chargedAddress: string | undefined;
    /** The request has not been charged: it may be a replay, which must not be refused. {@link Limits} alone sets it. */
    isChargeDue: boolean;
  }
}

export interface LimitSettings {
  /** For each key. */
  readonly keyRate: Rate;
  /** For each address: requests without a key, with an unknown or a public one, and public LNURL routes. */
  readonly addressRate: Rate;
  /** Requests of one key that are answered at the same time. */
  readonly maxAtOnce: number;
}

/** Limits the requests of each caller. Each instance counts for itself. */
export interface Limits {
  /** Runs before anything else is done for a request. @throws Refusal `rate_limited`, `payload_too_large`, `validation_failed` */
  admit(request: FastifyRequest, reply: FastifyReply): void;
  /** Records that a key is valid: the credential of the request, or the one given, which the path contains. From then on it is counted. */
  keyIsGood(request: FastifyRequest, pathKey?: string): void;
  /** Records that the credential of the request is unknown, or only names a wallet in links; its address pays. */
  keyIsUnknown(request: FastifyRequest): void;
  /** Charges a request that {@link Limits.admit} let through uncharged and that is no replay. @throws Refusal `rate_limited` */
  charge(request: FastifyRequest): void;
  /** Records that the request is a replay, which is free. */
  isReplay(request: FastifyRequest): void;
}

const MAX_BUCKETS = 100_000;
const MAX_GOOD_KEYS = 100_000;
const MAX_QUERY_LENGTH = 12_000;
const MAX_QUERY_PARAMETERS = 100;
const MAX_FIELDS = 50;

/** Who is counted for a request with a valid key. */
interface Caller {
  readonly name: string;
  readonly buckets: TokenBuckets;
}

export function createLimits(settings: LimitSettings, nowMs: () => number = () => performance.now()): Limits {
  const keys = new TokenBuckets(settings.keyRate, MAX_BUCKETS, nowMs);
  const addresses = new TokenBuckets(settings.addressRate, MAX_BUCKETS, nowMs);
  const good = new Set<string>();
  const atOnce = new OpenCounts();

  /** Undefined without a key that was found valid before: then the address is counted. */
  function callerOf(request: FastifyRequest): Caller | undefined {
    const key = request.routeOptions.config?.lnurl ? undefined : credentialText(request);
    if (key === undefined || !good.has(key)) return undefined;
    if (!isPublicText(key)) return { name: key, buckets: keys };
    // Strangers know a public key. A secret key in the path proves its holder; without one each address is counted separately.
    const inPath = (request.params as { key?: string } | undefined)?.key;
    const pathKey = inPath === undefined ? undefined : canonicalText(inPath);
    if (pathKey !== undefined && good.has(pathKey) && !isPublicText(pathKey)) return { name: pathKey, buckets: keys };
    return { name: `${key} ${networkOf(request.ip)}`, buckets: addresses };
  }

  function admitCaller({ name, buckets }: Caller, request: FastifyRequest, reply: FastifyReply): void {
    const isFull = atOnce.of(name) >= settings.maxAtOnce;
    // The request may repeat one that was paid, and then its caller needs that outcome: only a new one is charged, later.
    if (keepsOutcomes(request)) {
      request.mustNotWait = isFull;
      request.isChargeDue = true;
    } else {
      if (!buckets.take(name)) throw new Refusal('rate_limited');
      if (isFull) throw new Refusal('rate_limited', 'The key has too many requests open at once.');
    }
    atOnce.add(name, reply.raw);
  }

  return {
    admit(request, reply) {
      requireShortQuery(request.raw.url ?? '');
      const { url } = request.routeOptions;
      if (url !== undefined && UNCOUNTED.has(url)) return;
      const caller = callerOf(request);
      if (caller) return admitCaller(caller, request, reply);
      const address = networkOf(request.ip);
      // The many requests of a key that this process sees for the first time, after a restart for example, may be replays too.
      const isChargedLater = keepsOutcomes(request);
      if (isChargedLater ? addresses.isEmpty(address) : !addresses.take(address)) throw new Refusal('rate_limited');
      if (isChargedLater) request.isChargeDue = true;
      else request.chargedAddress = address;
    },
    keyIsGood(request, pathKey) {
      const key = pathKey === undefined ? credentialText(request) : canonicalText(pathKey);
      if (key === undefined) return;
      if (!good.has(key)) {
        if (good.size === MAX_GOOD_KEYS) good.delete(good.values().next().value as string);
        good.add(key);
      }
      if (request.chargedAddress === undefined) return;
      addresses.giveBack(request.chargedAddress);
      request.chargedAddress = undefined;
      const caller = callerOf(request);
      caller?.buckets.take(caller.name);
    },
    keyIsUnknown(request) {
      const key = credentialText(request);
      if (key !== undefined) good.delete(key);
    },
    charge(request) {
      if (!request.isChargeDue) return;
      request.isChargeDue = false;
      const { buckets, name } = callerOf(request) ?? { buckets: addresses, name: networkOf(request.ip) };
      if (!buckets.take(name)) throw new Refusal('rate_limited');
    },
    isReplay(request) {
      request.isChargeDue = false;
    },
  };
}

/** Every POST of the API runs under {@link Once}; nothing else reads the header. */
function keepsOutcomes({ method, headers, routeOptions }: FastifyRequest): boolean {
  return method === 'POST' && headers['idempotency-key'] !== undefined && routeOptions.url?.startsWith('/v1/') === true;
}

/** Monitoring must work during a flood. */
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
      throw new Refusal('validation_failed', `\`fields\` must have at most ${MAX_FIELDS} names.`);
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
