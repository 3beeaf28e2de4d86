import { Counter, Gauge, type Registry } from 'prom-client';
import type { Alerts } from '../../core/alerts/alerts.ts';
import type { NodeConnections } from '../../core/connection/connections.ts';
import type { Ledger } from '../../core/ledger/ledger.ts';
import type { Payments } from '../../core/payments/payments.ts';
import type { Feed } from '../events/feed.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';

/** The modules whose state is reported. */
export interface MetricsSources {
  /** Returns when the last backup was made, in Unix seconds; 0 if there is none. */
  readonly lastBackupAt: () => Promise<number>;
  readonly ledger: Ledger;
  readonly payments: Payments;
  readonly feed: Feed;
  readonly webhooks: Webhooks;
  readonly alerts: Alerts;
  readonly connections: NodeConnections;
  /** Returns the positions of the nodes at the last reconciliation. */
  readonly lastPositions: () => Promise<readonly { readonly nodeId: string; readonly positionMsat: number }[]>;
}

/** Registers the metrics of ledger, payments, alerts, nodes and webhooks. They are read on each scrape. */
export function registerServiceMetrics(registry: Registry, sources: MetricsSources): void {
  const { ledger, payments, feed, webhooks, alerts, connections, lastPositions, lastBackupAt } = sources;
  const { gauge, gaugeBy, counter } = metricsOf(registry);
  gauge('satchel_ledger_waiting_postings', 'Postings that wait for a commit', () => ledger.stats().waiting);
  counter('satchel_ledger_batches_total', 'Commits of the ledger', () => ledger.stats().batches);
  counter('satchel_ledger_postings_total', 'Postings in those commits', () => ledger.stats().postings);
  gaugeBy('node', 'satchel_node_up', 'Whether a Lightning node answers', () =>
    Promise.all(connections.all.map(async (one) => [one.nodeId, (await one.isAvailable()) ? 1 : 0] as const)),
  );
  gaugeBy(
    'node',
    'satchel_node_position_msat',
    'Money that a Lightning node holds for wallets of other nodes, at the last reconciliation; negative if they hold money of its wallets',
    async () => (await lastPositions()).map(({ nodeId, positionMsat }) => [nodeId, positionMsat]),
  );
  // One read of the database for all metrics of webhooks: prom-client collects in the order of registration.
  let stats: ReturnType<Webhooks['stats']>;
  new Counter({
    name: 'satchel_webhook_attempts_total',
    help: 'Attempts to deliver events to webhooks, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
    async collect() {
      stats = webhooks.stats();
      const { counts } = await stats;
      this.reset();
      for (const [outcome, count] of Object.entries(counts)) this.inc({ outcome }, count);
    },
  });
  const waiting = 'Deliveries that failed, and those that wait for them; at most 10000';
  gauge('satchel_webhook_deliveries_waiting', waiting, async () => (await stats).waiting);
  gauge('satchel_webhook_oldest_waiting_seconds', 'The age of the oldest of them', async () => (await stats).oldestWaitingSeconds);
  gauge('satchel_webhooks_disabled', 'Webhooks that the service disabled', async () => (await stats).disabled);
  gauge('satchel_payments_pending', 'Payments in flight', () => payments.countPending());
  gauge('satchel_last_backup_timestamp_seconds', 'When the last backup was made; 0 if there is none', lastBackupAt);
  gauge('satchel_feed_listeners', 'Requests that wait for an event, and live streams', () => feed.countListeners());
  gaugeBy('kind', 'satchel_alerts_open', 'Open alerts by kind; docs/operations.md describes what to do', async () =>
    (await alerts.countOpen()).map(({ kind, n }) => [kind, n]),
  );
}

/** The values of a metric by those of its label. */
type Labelled = readonly (readonly [label: string, value: number])[];

/** Returns functions that register metrics. `read` is called on each scrape. */
export function metricsOf(registry: Registry) {
  const registers = [registry];
  return {
    gauge(name: string, help: string, read: () => number | Promise<number>): void {
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          this.set(await read());
        },
      });
    },
    gaugeBy(label: string, name: string, help: string, read: () => Labelled | Promise<Labelled>): void {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers,
        async collect() {
          const values = await read();
          this.reset();
          for (const [key, value] of values) this.set({ [label]: key }, value);
        },
      });
    },
    /** Of a total that a module counts. */
    counter(name: string, help: string, read: () => number): void {
      new Counter({
        name,
        help,
        registers,
        collect() {
          this.reset();
          this.inc(read());
        },
      });
    },
  };
}
