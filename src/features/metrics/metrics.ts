import { hash, timingSafeEqual } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FastifyRequest } from 'fastify';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { Type } from 'typebox';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { App } from '../../http/app-type.ts';
import { bearerToken } from '../../http/auth/credential.ts';
import { isLoopback, isLoopbackUrl } from '../../http/limits/addresses.ts';
import { PUBLIC } from '../../http/openapi/route-schema.ts';
import { isStream } from '../events/streams.ts';
import { type MetricsSources, metricsOf, registerServiceMetrics } from './service-metrics.ts';

const schema = {
  operationId: 'getMetrics',
  tags: ['Service'],
  summary: 'Read metrics for Prometheus',
  description: 'Needs METRICS_TOKEN as `Authorization: Bearer`. Without that setting only programs on the same machine may read it.',
  ...PUBLIC,
  produces: ['text/plain'],
  response: { 200: Type.String() },
  errorStatuses: [401, 404],
};

/** Adds `GET /metrics` in Prometheus' text format. Labels are routes, statuses and kinds, never keys, wallets or addresses. */
export function metricsRoute(app: App, sources: MetricsSources, access: MetricsAccess): void {
  const registry = new Registry();
  registerRequestMetrics(app, registry);
  registerServiceMetrics(registry, sources);
  registerProcessMetrics(app, registry);
  app.get('/metrics', { schema }, async (request, reply) => {
    requireMetricsAccess(request, access);
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}

/** The settings that determine which clients may read the metrics. */
export interface MetricsAccess {
  readonly metricsToken: string | undefined;
  readonly trustProxy: unknown;
  readonly publicUrl: string;
}

/**
 * Without a token, only programs on this machine may read the metrics, and only directly: behind a reverse proxy, every request comes from
 * this machine.
 * @throws Refusal `unauthorized`; `not_found` without a token, where the client may be on another machine
 */
function requireMetricsAccess(request: FastifyRequest, { metricsToken: token, trustProxy, publicUrl }: MetricsAccess): void {
  if (token !== undefined) {
    const sent = bearerToken(request) ?? '';
    if (!timingSafeEqual(hash('sha256', sent, 'buffer'), hash('sha256', token, 'buffer')))
      throw new Refusal('unauthorized', 'This needs the value of METRICS_TOKEN, as Authorization: Bearer.');
    return;
  }
  // A proxy on this machine may add no header, so any sign of one counts.
  const isDirect = request.headers['x-forwarded-for'] === undefined && request.headers.forwarded === undefined && trustProxy === undefined;
  const isLocal = isLoopback(request.raw.socket.remoteAddress ?? '') && isLoopbackUrl(`http://${request.raw.headers.host}`);
  if (!isDirect || !isLocal || !isLoopbackUrl(publicUrl))
    throw new Refusal('not_found', 'Set METRICS_TOKEN to read /metrics from another machine, through a proxy or by a public address.');
}

/** In seconds. The response to a payment may wait for a minute. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];

/** Counts the responses of all routes that are registered from now on. */
function registerRequestMetrics(app: App, registry: Registry): void {
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

/** Registers the standard process metrics, and those that dashboards of this service use. */
function registerProcessMetrics(app: App, registry: Registry): void {
  const { gauge, gaugeBy } = metricsOf(registry);
  collectDefaultMetrics({ register: registry });
  gauge('nodejs_heap_used_bytes', 'Memory used by JavaScript', () => process.memoryUsage().heapUsed);
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  app.addHook('onClose', async () => {
    delay.disable();
  });
  gaugeBy('quantile', 'satchel_event_loop_delay_seconds', 'Delay of the event loop since the last scrape', () => {
    const seconds = [50, 99, 100].map((percent) => [String(percent / 100), delay.percentile(percent) / 1e9] as const);
    delay.reset();
    return seconds;
  });
}
