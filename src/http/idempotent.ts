import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import {
  ConcurrentOutcome,
  type Idempotency,
  isOutcome,
  type NamedRequest,
  nameOf,
  type Outcome,
  seal,
  unseal,
} from '../core/idempotency/idempotency.ts';
import { invariant } from '../core/kernel/assert.ts';
import { markBooked } from '../core/kernel/booking-mark.ts';
import { Refusal } from '../core/kernel/refusal.ts';
import type { RowWrite } from '../core/ledger/ledger.ts';
import { NodeUnavailable } from '../core/lightning/node.ts';
import type { Credential } from './auth/access.ts';
import type { RateLimits } from './limits/rate-limits.ts';

/** Stores the outcome of a request under its Idempotency-Key. Without an Idempotency-Key it stores nothing. */
export interface OutcomeWriter {
  /** Returns the rows to write in the transaction that creates the object. `secret` is stored encrypted, for replays. */
  rows(objectId: string, secret?: unknown): RowWrite[];
  /** Stores the id of an object that an earlier request created. */
  saveExisting(objectId: string): Promise<void>;
}

interface IdempotentWork<T> {
  /** Executes the request, and writes the rows of `outcome` in the same transaction. */
  make(outcome: OutcomeWriter): Promise<T>;
  /** Returns the response with the current state of the object. `secret` throws if none was stored. */
  replay(objectId: string, secret: () => unknown): Promise<T>;
}

/** Distinguishes requests with the same Idempotency-Key, together with method and route. Permissions were checked before. */
interface IdempotencyScope {
  readonly credential: Credential;
  readonly walletId?: string;
  /** The id of another object in the path. */
  readonly objectId?: string;
  /** The response contains a secret, so only the same key may replay it; otherwise a key that replaced it may, too. */
  readonly hasSecret?: boolean;
}

/** Returns whether requests to a route may have an Idempotency-Key. Those of sessions contain passwords: see features/logins/session-routes.ts. */
export function takesIdempotencyKey(method: string, url: string, { needsIdempotencyKey, isRead }: FastifyContextConfig = {}): boolean {
  if (needsIdempotencyKey || isRead) return needsIdempotencyKey === true;
  return method.toUpperCase() === 'POST' && url.startsWith('/v1/') && !/^\/v1\/session(\/|$)/.test(url);
}

const NO_OUTCOME: OutcomeWriter = { rows: () => [], saveExisting: async () => undefined };

/**
 * Executes a request once per Idempotency-Key and scope. A request with the same key and body replays the outcome; another body is
 * rejected.
 */
export type IdempotentHandler = ReturnType<typeof createIdempotentHandler>;

export function createIdempotentHandler({ idempotency, limits }: { idempotency: Idempotency; limits?: RateLimits }) {
  /** The requests that this process is executing, by name. Duplicates wait for them. */
  const running = new Map<string, Promise<unknown>>();

  return async function runIdempotent<T>(
    request: FastifyRequest,
    reply: FastifyReply,
    scope: IdempotencyScope,
    work: IdempotentWork<T>,
  ): Promise<T> {
    invariant(!request.routeOptions.config.isRead, 'a route that only reads stores no outcome');
    const key = readIdempotencyKey(request);
    if (key === undefined && request.routeOptions.config.needsIdempotencyKey) throw new Refusal('validation_failed', NO_KEY);
    if (key === undefined) return work.make(NO_OUTCOME);
    let named: NamedRequest = { scope: scopeText(request, scope), key, body: request.body };
    // Without the prefix, because one key can be written with two prefixes.
    const credential = scope.credential.text.slice(scope.credential.text.indexOf('_') + 1);
    const sealKey = { credential, idempotencyKey: key };

    function replay({ made, sealed }: Outcome) {
      limits?.recordReplay(request);
      reply.header('idempotency-replayed', 'true');
      return work.replay(made, () => {
        invariant(sealed, 'the outcome has a secret');
        return unseal(sealKey, sealed);
      });
    }

    async function execute() {
      const outcome: OutcomeWriter = {
        rows: (made, secret) => [idempotency.rowOf(named, made, secret === undefined ? undefined : seal(sealKey, secret))],
        saveExisting: async (made) => void (await idempotency.store(named, made)),
      };
      try {
        return await work.make(outcome);
      } catch (error) {
        // Another instance may have executed the request first, which can also cause this rejection. Then its outcome is the response. If
        // another instance is still executing the request, the stored refusal prevents it from paying afterwards.
        const isRefused = error instanceof NodeUnavailable || (error instanceof Refusal && error.walletTransactionId === undefined);
        if (!isRefused && !(error instanceof ConcurrentOutcome)) throw error;
        markBooked();
        const stored = isRefused && !isBusy(error) ? await idempotency.refuse(named) : await idempotency.find(named);
        if (!isOutcome(stored)) throw error;
        return replay(stored);
      }
    }

    const name = nameOf(named);
    for (;;) {
      const found = await idempotency.find(named);
      if (isOutcome(found)) return replay(found);
      const other = running.get(name);
      // If the other request fails, this one is executed.
      if (other) await other;
      else {
        // Its sender may have repeated it meanwhile, got this refusal, and believe that nothing will be paid.
        if (found && reply.elapsedTime > LATE_MS) throw new Refusal('ledger_busy', LATE);
        named = { ...named, refused: found };
        break;
      }
    }
    limits?.chargeRequest(request);
    const executing = execute();
    const done = executing.then(ignore, ignore);
    running.set(name, done);
    void done.then(() => running.delete(name));
    return executing;
  };
}

/** Both paths of a wallet are one scope, and so are a key and the key that replaced it in a rotation. */
function scopeText(request: FastifyRequest, { credential: { key }, walletId, objectId = '', hasSecret }: IdempotencyScope): string {
  return `${hasSecret ? key.id : key.lineageId} ${walletId ?? '-'} ${request.method} ${request.routeOptions.url?.replace('/v1/user/', '/v1/')}${objectId}`;
}

/** A request that was delayed for longer may have been repeated. Shorter than the timeout of any client. */
const LATE_MS = 3000;
const LATE =
  'This request was delayed, and a repetition of it may have been refused meanwhile. It booked nothing. Send it again with the same Idempotency-Key.';

/** For a request beyond the capacity, a write would cost more than executing it. Its 503 promises nothing about other requests with the key. */
function isBusy(error: unknown): boolean {
  return error instanceof Refusal && error.type === 'ledger_busy';
}

const MAX_KEY_LENGTH = 255;

const NO_KEY =
  'This request needs the header Idempotency-Key: a text of your choice that identifies it. Repeat the request with the same key after an ' +
  'error, so that it has one effect.';

function readIdempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  // `headers` joins two values to one.
  if ((request.raw.headersDistinct['idempotency-key']?.length ?? 0) > 1)
    throw new Refusal('validation_failed', 'Idempotency-Key must be sent once.');
  if (typeof key === 'string' && key.length > 0 && key.length <= MAX_KEY_LENGTH) return key;
  throw new Refusal('validation_failed', `Idempotency-Key must be one value of 1 to ${MAX_KEY_LENGTH} characters.`);
}

function ignore(): void {}
