import { SatchelError } from '../../../client/satchel.js';

/** Calls a function that sends a request, with the Idempotency-Key of the request. */
export type Idempotent = <T>(send: (options: { idempotencyKey: string }) => Promise<T>) => Promise<T>;

export interface IdempotentOptions {
  /** The request is sent anew after each success, by a button that stays. Otherwise a repeated click gets the first result again. */
  readonly isRepeatable?: boolean;
}

/**
 * After an error the key stays the same, because the request may have been executed and its response lost. It can also be kept after a
 * refusal: the service executes a later request with the same key. Only the refusal of an operator's action is final for its key.
 */
export function createIdempotent({ isRepeatable = false }: IdempotentOptions = {}): Idempotent {
  let idempotencyKey = newIdempotencyKey();
  return async (send) => {
    try {
      const result = await send({ idempotencyKey });
      if (isRepeatable) idempotencyKey = newIdempotencyKey();
      return result;
    } catch (error) {
      if (error instanceof SatchelError && error.type === 'action_refused') idempotencyKey = newIdempotencyKey();
      throw error;
    }
  };
}

/**
 * Returns a new Idempotency-Key: 128 random bits in hex. A request that is repeated with the same key is executed once. `crypto.randomUUID`
 * would need a secure context, which a page over http does not have outside of localhost.
 */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
