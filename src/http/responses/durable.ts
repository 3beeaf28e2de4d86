import type { App } from '../app-type.ts';
import { SAFE_METHODS } from '../auth/cross-site.ts';

/**
 * A request that finds its change already made, such as the revocation of a revoked key, commits nothing. What it found may be missing on a
 * synchronous standby, so its response waits for a commit.
 */
export function waitForEarlierCommits(app: App, ensureDurable: () => Promise<void>): void {
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/v1/') || [route.method].flat().every((method) => SAFE_METHODS.has(method))) return;
    const hooks = [route.onSend ?? []].flat();
    route.onSend = [
      ...hooks,
      (request, reply, payload, done) => {
        if (request.booking?.mayHaveBooked || reply.statusCode >= 400) return done(null, payload);
        ensureDurable().then(() => done(null, payload), done);
      },
    ];
  });
}
