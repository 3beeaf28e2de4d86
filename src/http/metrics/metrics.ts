import { hash, timingSafeEqual } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FastifyRequest } from 'fastify';
import type { NodeConnection } from '../../connection/connection.ts';
import { Refusal } from '../../kernel/refusal.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Payments } from '../../payments/payments.ts';
import type { App } from '../app-type.ts';
import { bearerToken } from '../auth/credential.ts';
import { isLoopback, isLoopbackUrl } from '../limits/addresses.ts';
import { family, type Sample } from './exposition.ts';
import { createRequestMetrics } from './request-metrics.ts';

/** The rooms that say how they are. */
export interface Stats {
  readonly ledger: Pick<Ledger, 'stats'>;
  readonly payments: Pick<Payments, 'countPending'>;
  readonly alerts: { countOpen(): Promise<readonly OpenAlerts[]> };
  readonly connection: Pick<NodeConnection, 'isAvailable'>;
}

interface OpenAlerts {
  readonly kind: string;
  readonly n: number;
}

/**
 * Adds `GET /metrics` in Prometheus' text format. Without a token only programs on this machine may read it, and only directly: behind a
 * proxy every request would come from this machine. It contains no keys, wallets or addresses; labels are routes, statuses and kinds.
 */
export function metricsRoute(app: App, stats: Stats, readers: MetricsAccess): void {
  const requests = createRequestMetrics(app);
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  app.addHook('onClose', async () => {
    delay.disable();
  });
  app.get('/metrics', async (request, reply) => {
    requireReader(request, readers);
    const [pending, alerts, isUp] = await Promise.all([
      stats.payments.countPending(),
      stats.alerts.countOpen(),
      stats.connection.isAvailable(),
    ]);
    const text = [...requests(), ...ofLedger(stats), ...ofMoney(pending, alerts, isUp), ...ofProcess(delay)].join('');
    return reply.type('text/plain; version=0.0.4; charset=utf-8').send(text);
  });
}

/** What decides who may read the metrics. */
export interface MetricsAccess {
  readonly metricsToken: string | undefined;
  readonly trustProxy: unknown;
  readonly publicUrl: string;
}

/** @throws Refusal `unauthorized`; `not_found` where there is no token and the reader may be on another machine. */
function requireReader(request: FastifyRequest, { metricsToken: token, trustProxy, publicUrl }: MetricsAccess): void {
  if (token !== undefined) {
    const shown = bearerToken(request) ?? '';
    if (!timingSafeEqual(hash('sha256', shown, 'buffer'), hash('sha256', token, 'buffer')))
      throw new Refusal('unauthorized', 'This needs what METRICS_TOKEN is set to, as Authorization: Bearer.');
    return;
  }
  // A proxy on this machine may add no header, so each sign of one counts.
  const isDirect = request.headers['x-forwarded-for'] === undefined && request.headers.forwarded === undefined && trustProxy === undefined;
  const isLocal = isLoopback(request.raw.socket.remoteAddress ?? '') && isLoopbackUrl(`http://${request.raw.headers.host}`);
  if (!isDirect || !isLocal || !isLoopbackUrl(publicUrl))
    throw new Refusal('not_found', 'Set METRICS_TOKEN to read /metrics from another machine, through a proxy or by a public address.');
}

function ofLedger({ ledger }: Stats): string[] {
  const { waiting, batches, postings } = ledger.stats();
  return [
    family('satchel_ledger_waiting_postings', 'gauge', 'Postings that wait for a commit', [{ value: waiting }]),
    family('satchel_ledger_batches_total', 'counter', 'Commits of the ledger', [{ value: batches }]),
    family('satchel_ledger_postings_total', 'counter', 'Postings in those commits', [{ value: postings }]),
  ];
}

function ofMoney(pending: number, alerts: readonly OpenAlerts[], isUp: boolean): string[] {
  const open = alerts.map(({ kind, n }): Sample => ({ labels: { kind }, value: n }));
  return [
    family('satchel_payments_pending', 'gauge', 'Payments in flight', [{ value: pending }]),
    family('satchel_alerts_open', 'gauge', 'Open alerts; what to do is in docs/operations.md', open),
    family('satchel_node_up', 'gauge', 'Whether the Lightning node answers', [{ value: isUp ? 1 : 0 }]),
  ];
}

function ofProcess(delay: ReturnType<typeof monitorEventLoopDelay>): string[] {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  const lag = [50, 99, 100].map(
    (percent): Sample => ({ labels: { quantile: String(percent / 100) }, value: delay.percentile(percent) / 1e9 }),
  );
  // What is told is that of the time since it was last asked.
  delay.reset();
  return [
    family('satchel_event_loop_delay_seconds', 'gauge', 'How late the event loop was since the last look', lag),
    family('process_resident_memory_bytes', 'gauge', 'Memory of the process', [{ value: rss }]),
    family('nodejs_heap_used_bytes', 'gauge', 'Of it, used by JavaScript', [{ value: heapUsed }]),
    family('process_cpu_seconds_total', 'counter', 'Processor time', [{ value: (user + system) / 1e6 }]),
    family('process_start_time_seconds', 'gauge', 'When the process began, in Unix seconds', [{ value: performance.timeOrigin / 1000 }]),
  ];
}
