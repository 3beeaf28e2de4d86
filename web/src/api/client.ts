import { createClient, isTemporary, SatchelError } from '../../../client/satchel.js';
import { SERVICE_URL } from '../base-path.ts';
import { fetchOrSaved } from './saved-data.ts';

export type * from '../../../client/satchel.js';
export { isTemporary, SatchelError };

/**
 * Calls the public API with the cookie of the session. Throws {@link SatchelError} when the service responds with an error. The person repeats
 * a request, not the client.
 */
export const api = createClient({ url: SERVICE_URL, maxRetries: 0, fetch: fetchOrSaved });

/** Returns whether the request had no valid session: it has ended, or there never was one. */
export function isLoggedOut(error: unknown): boolean {
  return error instanceof SatchelError && error.status === 401;
}
