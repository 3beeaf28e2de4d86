import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { Registry } from 'prom-client';
import { Type } from 'typebox';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { App } from '../../http/app-type.ts';
import { bearerToken } from '../../http/auth/credential.ts';
import { isLoopback, isLoopbackUrl } from '../../http/limits/addresses.ts';
import { PUBLIC } from '../../http/openapi/route-schema.ts';
import { registerProcessMetrics } from './process-metrics.ts';
import { registerRequestMetrics } from './request-metrics.ts';
import { type MetricsSources, registerServiceMetrics } from './service-metrics.ts';

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
