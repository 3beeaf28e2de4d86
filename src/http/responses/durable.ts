import type { App } from '../app-type.ts';
import { SAFE_METHODS } from '../auth/cross-site.ts';

/**
 * The routes that change something only after a wallet has signed. Until then their response confirms nothing, and people who wait for
 * their wallet must not get a 503 because commits are stalled.
 */
export const WITHOUT_COMMIT: ReadonlySet<string> = new Set(['POST /v1/session/lnurl-auth/:id', 'POST /v1/session/linked-keys/:id']);

/**
 * A request that finds its change already made, such as the revocation of a revoked key, commits nothing. What it found may be missing on a
 * synchronous standby, so its response waits for a commit.
 */
export function waitForEarlierCommits(app: App, ensureDurable: () => Promise<void>): void {
  app.addHook('onRoute', (route) => {
    const methods = [route.method].flat();
    const confirms = methods.some((method) => !SAFE_METHODS.has(method) && !WITHOUT_COMMIT.has(`${method} ${route.url}`));
    if (!route.url.startsWith('/v1/') || !confirms || route.config?.isRead) return;
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
