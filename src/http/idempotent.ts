import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Idempotency, MadeMeanwhile, type NamedRequest, nameOf, type Outcome } from '../idempotency/idempotency.ts';
import { type SealKey, seal, unseal } from '../idempotency/seal.ts';
import { invariant } from '../kernel/assert.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { RowWrite } from '../ledger/posting.ts';
import type { Presented } from './auth/access.ts';
import type { Limits } from './limits/rate-limits.ts';

/** How a request remembers what it makes. Without an Idempotency-Key there is nothing to remember, and no rows. */
export interface Memory {
  /** Rows for the transaction that makes it; `secret` is what a replay must show again and nobody else may see. */
  rows(made: string, secret?: unknown): RowWrite[];
  /** For something that an earlier request had made. */
  keep(made: string): Promise<void>;
}

export interface Work<T> {
  /** Does it, and writes the memory's rows in the transaction that does it. */
  make(memory: Memory): Promise<T>;
  /** Answers with the present state of what was made. `secret` throws where there was none. */
  replay(made: string, secret: () => unknown): Promise<T>;
}

/** Does what a request asks for once, however often it is sent under one `Idempotency-Key` by one credential for one wallet. */
export type Once = <T>(request: FastifyRequest, reply: FastifyReply, asker: Asker, work: Work<T>) => Promise<T>;

/** Whose request it is; permissions have been checked. */
export interface Asker {
  readonly presented: Presented;
  readonly walletId?: string;
  /** What else the path names. */
  readonly objectId?: string;
  /** What it makes has a secret, which nobody but the very key that asked can be shown again. */
  readonly hasSecret?: boolean;
}

const NOTHING: Memory = { rows: () => [], keep: async () => undefined };

export function createOnce(idempotency: Idempotency, limits?: Pick<Limits, 'charge' | 'isReplay'>): Once {
  /** What is being done now in this process: a duplicate waits for it. */
  const running = new Map<string, Promise<unknown>>();

  return async (request, reply, asker, work) => {
    const key = readKey(request);
    if (key === undefined) {
      const made = await work.make(NOTHING);
      request.mayHaveBooked = true;
      return made;
    }
    const named = { scope: scopeOf(request, asker), key, body: request.body };
    // Without its prefix: a key has several names for its kind, and is one key.
    const credential = asker.presented.text.slice(asker.presented.text.indexOf('_') + 1);
    const sealKey = { credential, idempotencyKey: key };

    /** What was made before is shown as it is now; any number may look at once. */
    function replay({ made, sealed }: Outcome) {
      request.mayHaveBooked = true;
      limits?.isReplay(request);
      reply.header('idempotency-replayed', 'true');
      return work.replay(made, () => {
        invariant(sealed, 'a replay has the secret that its first answer had');
        return unseal(sealKey, sealed);
      });
    }

    // Whoever waited finds what the one before made, or makes it, if that one made nothing.
    const name = nameOf(named);
    for (;;) {
      const outcome = await idempotency.find(named);
      if (outcome) return replay(outcome);
      const other = running.get(name);
      if (!other) break;
      await other;
    }
    limits?.charge(request);
    const memory = memoryOf(idempotency, named, sealKey);
    const making = work.make(memory);
    const done = making.then(nothing, nothing);
    running.set(name, done);
    void done.then(() => running.delete(name));
    try {
      const made = await making;
      request.mayHaveBooked = true;
      return made;
    } catch (error) {
      // Another instance was first; what it made may even be why this one was refused. Then its outcome is the answer.
      const isLate = error instanceof MadeMeanwhile || (error instanceof Refusal && error.walletTransactionId === undefined);
      if (isLate) request.mayHaveBooked = true;
      const outcome = isLate ? await idempotency.find(named) : undefined;
      if (!outcome) throw error;
      return replay(outcome);
    }
  };
}

function memoryOf(idempotency: Idempotency, named: NamedRequest, sealKey: SealKey): Memory {
  return {
    rows: (made, secret) => [idempotency.rowOf(named, made, secret === undefined ? undefined : seal(sealKey, secret))],
    keep: (made) => idempotency.remember(named, made),
  };
}

/** Both forms of a wallet's addresses are one route, and a key that was rotated meanwhile asks as the same caller. */
function scopeOf(request: FastifyRequest, { presented: { key }, walletId, objectId = '', hasSecret }: Asker): string {
  return `${hasSecret ? key.id : key.lineId} ${walletId ?? '-'} ${request.method} ${request.routeOptions.url?.replace('/v1/user/', '/v1/')}${objectId}`;
}

const MAX_KEY_LENGTH = 255;

function readKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && key.length > 0 && key.length <= MAX_KEY_LENGTH) return key;
  throw new Refusal('validation_failed', `Idempotency-Key must be one value of 1 to ${MAX_KEY_LENGTH} characters.`);
}

function nothing(): void {}
