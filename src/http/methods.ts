import type { HTTPMethods } from 'fastify';
import { Refusal } from '../core/kernel/refusal.ts';
import type { App } from './app-type.ts';
import { allowsCrossOrigin, sendPreflight } from './cors.ts';

/** The methods that routes accept, or reject themselves. */
export const METHODS: readonly HTTPMethods[] = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

/** For people who open the service in a browser, and for wrong base URLs. */
export const UNKNOWN_PATH = 'This path does not exist. GET /docs lists the paths of this service.';

/**
 * Responds 405 to the methods that a known path does not have, to CORS preflight requests, and 404 to unknown paths. A route for each of these methods
 * would take 8 % of the processor time of a start, and memory. Nothing of it reads the body: parsing it took longer than any other public request.
 */
export function rejectOtherMethods(app: App): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    const { method, url } = request;
    const allowed = METHODS.filter((one) => app.findRoute({ method: one, url })).join(', ');
    if (allowed === '') throw new Refusal('not_found', UNKNOWN_PATH);
    if (method === 'OPTIONS' && allowsCrossOrigin(url)) return sendPreflight(request, reply, allowed);
    // RFC 9110, section 15.5.6: a 405 has the header `Allow`.
    reply.header('allow', allowed);
    throw new Refusal('method_not_allowed', `This path accepts only ${allowed}.`);
  });
}
