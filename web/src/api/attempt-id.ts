import { SatchelError } from '../../../client/satchel.js';

/** Sends a request with an Idempotency-Key. */
export type Attempt = <T>(send: (options: { idempotencyKey: string }) => Promise<T>) => Promise<T>;

export interface AttemptOptions {
  /** The request is sent anew after each success, by a button that stays. Otherwise a repeated click gets the first result again. */
  readonly isRepeatable?: boolean;
}

/**
 * After an error the key stays the same: a request of which the response was lost may have been executed. It can also be kept after a
 * rejection, because the service stores a key only with what was executed, or with the refusal of an operator's action.
 */
export function createAttempt({ isRepeatable = false }: AttemptOptions = {}): Attempt {
  let idempotencyKey = newAttemptId();
  return async (send) => {
    try {
      const result = await send({ idempotencyKey });
      if (isRepeatable) idempotencyKey = newAttemptId();
      return result;
    } catch (error) {
      if (error instanceof SatchelError && error.type === 'action_refused') idempotencyKey = newAttemptId();
      throw error;
    }
  };
}

/**
 * Returns a new Idempotency-Key: 128 random bits in hex. A request that is repeated with the same key is executed once. `crypto.randomUUID`
 * would need a secure context, which a page over http does not have outside of localhost.
 */
export function newAttemptId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
