import { Counter, Histogram, type Registry } from 'prom-client';
import type { App } from '../../http/app-type.ts';
import { isStream } from '../events/streams.ts';

/** In seconds. The response to a payment may wait for a minute. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];

/** Counts the responses of all routes that are registered from now on. */
export function registerRequestMetrics(app: App, registry: Registry): void {
  const registers = [registry];
  const requests = new Counter({
    name: 'satchel_http_requests_total',
    help: 'Responses by route and status',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'satchel_http_request_seconds',
    help: 'Time until the response was sent',
    labelNames: ['method', 'route'],
    buckets: BUCKETS,
    registers,
  });
  app.addHook('onResponse', ({ method, routeOptions }, reply, done) => {
    // The route's pattern, because a URL may contain keys.
    const route = routeOptions.url ?? 'unknown';
    requests.inc({ method, route, status: reply.statusCode });
    // A live stream lasts as long as its client listens.
    if (!isStream(reply)) seconds.observe({ method, route }, reply.elapsedTime / 1000);
    done();
  });
}
