import { createClient, SatchelError } from '../../../client/satchel.js';
import { SERVICE_URL } from '../base-path.ts';

export type * from '../../../client/satchel.js';
export { SatchelError };

/** Calls the public API with the cookie of the session. Throws {@link SatchelError} when the service responds with an error. */
export const api = createClient({ url: SERVICE_URL });

/** Returns whether the request had no valid session: it has ended, or there never was one. */
export function isLoggedOut(error: unknown): boolean {
  return error instanceof SatchelError && error.status === 401;
}

/**
 * Returns whether a failed request may still have been executed. Only a 4xx promises that nothing was paid, and a 503 that nothing was sent;
 * after any other failure the outcome is unknown.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  return !(error instanceof SatchelError) || (error.status >= 500 && error.status !== 503);
}
