import type { FastifyReply, FastifyRequest } from 'fastify';
import { canonicalText, isPublicText } from '../../core/accounts/keys.ts';
import type { BookingMark } from '../../core/kernel/booking-mark.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { CHARGE } from '../../core/kernel/turns.ts';
import { sentCredential } from '../auth/credential.ts';
import { takesIdempotencyKey } from '../idempotent.ts';
import { networkOf } from './addresses.ts';
import { callerOf } from './callers.ts';
import { OpenCounts } from './open-counts.ts';
import { AddressBuckets, type Rate, TokenBuckets } from './token-buckets.ts';

export interface RateLimitSettings {
  /** Applies to each key. */
  readonly keyRate: Rate;
  /** Applies to each address: requests without a key, with an unknown or public key, and to public LNURL routes. */
  readonly addressRate: Rate;
  /** Requests of one key that may be open at the same time. */
  readonly maxAtOnce: number;
}

const MAX_BUCKETS = 100_000;
const MAX_VALID_KEYS = 100_000;
/**
 * The invoices of one wallet that an address may request. They expire after ten minutes, so one address has at most 660 of them open, fewer
 * than a wallet may have.
 */
const INVOICE_RATE = { perSecond: 1, burst: 60 };
/** The invoices of all wallets that an address may request. Each one is stored forever, at the request of anyone. */
const PAYER_RATE = { perSecond: 10, burst: 200 };
/** The pages and images with QR codes that an address may request. Each one takes 10 to 40 ms of a worker. */
const QR_RATE = { perSecond: 20, burst: 100 };
/** Longer than any key: anyone can send any text, and the buckets keep it. */
const MAX_PAYEE_LENGTH = 64;

interface RequestBucket {
  readonly name: string;
  /** Whether it belongs to a key, whose open requests are limited, too. */
  readonly isOfKey: boolean;
  /** Whether requests of the same address take turns: those of a secret key do not. */
  readonly isOfAddress: boolean;
  take(): boolean;
  isEmpty(): boolean;
  /** After how many milliseconds it has a token. */
  waitMs(): number;
}

/** Limits the requests of each caller: a key, or an address. Each instance of the service counts separately. */
export class RateLimits {
  readonly #maxAtOnce: number;
  readonly #keys: TokenBuckets;
  readonly #accounts: TokenBuckets;
  readonly #addresses: AddressBuckets;
  readonly #invoices: AddressBuckets;
  readonly #payers: AddressBuckets;
  readonly #qrCodes: AddressBuckets;
  readonly #validKeys = new Set<string>();
  readonly #openRequests = new OpenCounts();

  constructor({ keyRate, addressRate, maxAtOnce }: RateLimitSettings, nowMs: () => number = () => performance.now()) {
    const bucketsOf = (rate: Rate) => new TokenBuckets(rate, MAX_BUCKETS, nowMs);
    const unlessUnlimited = (rate: Rate) => new AddressBuckets(addressRate.perSecond === 0 ? addressRate : rate, MAX_BUCKETS, nowMs);
    this.#maxAtOnce = maxAtOnce;
    this.#keys = bucketsOf(keyRate);
    this.#accounts = bucketsOf(keyRate);
    this.#addresses = unlessUnlimited(addressRate);
    this.#invoices = unlessUnlimited(INVOICE_RATE);
    this.#payers = unlessUnlimited(PAYER_RATE);
    this.#qrCodes = unlessUnlimited(QR_RATE);
  }

  /**
   * Runs before a request is read. Returns the address with whose requests it takes turns, or undefined for a request that counts against a
   * secret key. @throws Refusal `rate_limited`
   */
  admitRequest(request: FastifyRequest, reply: FastifyReply): string | undefined {
    const { url } = request.routeOptions;
    if (url !== undefined && UNLIMITED_ROUTES.has(url)) return networkOf(request.ip);
    const { name, isOfKey, isOfAddress, ...bucket } = this.#bucketOf(request);
    // A retry of a payment must get the outcome of that payment, so a request that may be a replay is charged later. After a restart, all keys
    // are new to this process, so that requests of an address may be replays, too.
    const isChargedLater = mayBeReplay(request);
    const isAdmitted = isChargedLater ? isOfKey || !bucket.isEmpty() : bucket.take();
    if (!isAdmitted) throw new Refusal('rate_limited').afterMs(bucket.waitMs());
    request.isChargeDue = isChargedLater;
    if (!isOfKey) {
      if (!isChargedLater) request.chargedAddress = name;
      return name;
    }
    request.mustNotWait = isChargedLater && this.#openRequests.countOf(name) >= this.#maxAtOnce;
    const max = isChargedLater ? Number.POSITIVE_INFINITY : this.#maxAtOnce;
    if (!this.#openRequests.add([{ name, max }], reply.raw)) throw new Refusal('rate_limited', TOO_MANY_OPEN);
    return isOfAddress ? name : undefined;
  }

  /** Records that the credential, or a key in the path, is valid. The request then counts against the key instead of the address. */
  recordValidKey(request: FastifyRequest, pathKey?: string): void {
    const key = pathKey === undefined ? sentCredential(request)?.text : canonicalText(pathKey);
    if (key === undefined) return;
    if (!this.#validKeys.has(key)) {
      if (this.#validKeys.size === MAX_VALID_KEYS) this.#validKeys.delete(this.#validKeys.values().next().value as string);
      this.#validKeys.add(key);
    }
    if (request.chargedAddress === undefined) return;
    this.#addresses.returnToken(request.ip);
    request.chargedAddress = undefined;
    const { isOfKey, take } = this.#bucketOf(request);
    if (isOfKey) take();
  }

  /** Records that the credential is unknown, or only identifies a wallet in links. The request stays charged to its address. */
  recordInvalidKey(request: FastifyRequest): void {
    const key = sentCredential(request)?.text;
    if (key !== undefined) this.#validKeys.delete(key);
  }

  /** Takes a token for a request that was admitted without one and is not a replay. @throws Refusal `rate_limited` */
  chargeRequest(request: FastifyRequest): void {
    if (!request.isChargeDue) return;
    request.isChargeDue = false;
    const bucket = this.#bucketOf(request);
    if (!bucket.take()) throw new Refusal('rate_limited').afterMs(bucket.waitMs());
  }

  /** Records that the request is a replay, which takes no token. */
  recordReplay(request: FastifyRequest): void {
    request.isChargeDue = false;
  }

  /**
   * Charges the account, or the address, of a request for a turn of its work, except the first (turns.ts), and for the bytes that were sent since.
   * Returns how many milliseconds the turn must wait.
   */
  readonly chargeTurn = (mark: BookingMark, bytes: number): number => {
    mark.turns = (mark.turns ?? 0) + 1;
    if (mark.turns === 1 || mark.payer === undefined) return 0;
    return this.#accounts.takeInAdvance(mark.payer, CHARGE.turn + (CHARGE.kilobyte * bytes) / 1000);
  };

  /** Charges the account of a request for the lines that it books, apart from the first. @throws Refusal `rate_limited` */
  chargeLines(request: FastifyRequest, lines: number): void {
    const { payer } = callerOf(request);
    const count = (lines - 1) * CHARGE.line;
    if (this.#accounts.takeToken(payer, count)) return;
    throw new Refusal('rate_limited', TOO_MANY_LINES).afterMs(this.#accounts.waitMs(payer, count));
  }

  /** Admits a payer's request for an invoice of a wallet. @throws Refusal `rate_limited` */
  admitInvoiceRequest({ ip }: FastifyRequest, payee: string): void {
    const name = payee.slice(0, MAX_PAYEE_LENGTH);
    if (this.#payers.takeToken(ip) && this.#invoices.takeToken(ip, name)) return;
    throw new Refusal('rate_limited', 'Too many invoices were requested from this address. Try again in a minute.').afterMs(
      Math.max(this.#payers.waitMs(ip), this.#invoices.waitMs(ip, name)),
    );
  }

  /** Admits a request for a page or an image with a QR code. @throws Refusal `rate_limited` */
  admitQrCode({ ip }: FastifyRequest): void {
    if (this.#qrCodes.takeToken(ip)) return;
    throw new Refusal('rate_limited', 'Too many QR codes were requested from this address. Try again in a minute.').afterMs(
      this.#qrCodes.waitMs(ip),
    );
  }

  /** Returns the bucket of the key if it was valid in an earlier request; otherwise that of the address. */
  #bucketOf(request: FastifyRequest): RequestBucket {
    const key = request.routeOptions.config?.lnurl ? undefined : sentCredential(request)?.text;
    if (key === undefined || !this.#validKeys.has(key)) return this.#bucketOfAddress(request.ip);
    if (!isPublicText(key)) return this.#bucketOfKey(key);
    // A public key is no secret. A secret key in the path identifies the caller; without one, each address has its own limit.
    const inPath = (request.params as { key?: string } | undefined)?.key;
    const pathKey = inPath === undefined ? undefined : canonicalText(inPath);
    const isCaller = pathKey !== undefined && this.#validKeys.has(pathKey) && !isPublicText(pathKey);
    return isCaller ? this.#bucketOfKey(pathKey) : this.#bucketOfAddress(request.ip, key);
  }

  #bucketOfKey(name: string): RequestBucket {
    return {
      name,
      isOfKey: true,
      isOfAddress: false,
      take: () => this.#keys.takeToken(name),
      isEmpty: () => this.#keys.isEmpty(name),
      waitMs: () => this.#keys.waitMs(name),
    };
  }

  /** Returns the bucket of an address, or that of a public key at it. */
  #bucketOfAddress(ip: string, publicKey?: string): RequestBucket {
    const address = networkOf(ip);
    return {
      name: publicKey === undefined ? address : `${publicKey} ${address}`,
      isOfKey: publicKey !== undefined,
      isOfAddress: true,
      take: () => this.#addresses.takeToken(ip, publicKey),
      isEmpty: () => this.#addresses.isEmpty(ip, publicKey),
      waitMs: () => this.#addresses.waitMs(ip, publicKey),
    };
  }
}

const TOO_MANY_LINES =
  'The account has sent more lines than its rate limit has requests. This request booked nothing. Try again later, or with fewer lines.';
const TOO_MANY_OPEN = 'The key has too many requests open at once.';

function mayBeReplay({ method, headers, routeOptions }: FastifyRequest): boolean {
  return headers['idempotency-key'] !== undefined && takesIdempotencyKey(method, routeOptions.url ?? '', routeOptions.config);
}

/** Monitoring must work during a flood of requests. */
const UNLIMITED_ROUTES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);
