import { useRef } from 'preact/hooks';
import { newAttemptId } from './attempt-id.ts';
import { SatchelError } from './client.ts';

/** Sends a request with an Idempotency-Key. */
export type Attempt = <T>(send: (options: { idempotencyKey: string }) => Promise<T>) => Promise<T>;

/**
 * Returns a function that sends the request of a sheet. While the outcome is unknown, a repeated request has the same Idempotency-Key and is
 * executed once. After a rejection, by which nothing has changed, the next request is a new one.
 */
export function useAttempt(): Attempt {
  const id = useRef(newAttemptId());
  const isInDoubt = useRef(false);
  return async (send) => {
    try {
      return await send({ idempotencyKey: id.current });
    } catch (error) {
      const status = error instanceof SatchelError ? error.status : 0;
      // After an unknown outcome, only these say that the requests before were not executed either.
      const isDefinite = status === 400 || status === 409 || (!isInDoubt.current && status >= 400 && status < 500);
      isInDoubt.current = !isDefinite;
      if (isDefinite) id.current = newAttemptId();
      throw error;
    }
  };
}
