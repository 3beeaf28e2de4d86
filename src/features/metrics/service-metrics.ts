import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Alerts } from '../../core/alerts/alerts.ts';
import type { NodeConnections } from '../../core/connection/connections.ts';
import type { Instances } from '../../core/db/instances.ts';
import type { Ledger } from '../../core/ledger/ledger.ts';
import type { Payments } from '../../core/payments/payments.ts';
import type { Tasks } from '../../core/tasks/tasks.ts';
import type { Feed } from '../events/feed.ts';
import type { Nwc } from '../nwc/nwc.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';

/** The modules whose state is reported. */
export interface MetricsSources {
  /** Returns when the last backup was made, in Unix seconds; 0 if there is none. */
  readonly lastBackupAt: () => Promise<number>;
  readonly instances: Instances;
  readonly ledger: Ledger;
  readonly payments: Payments;
  readonly feed: Feed;
  readonly webhooks: Webhooks;
  readonly alerts: Alerts;
  readonly nwc: Nwc;
  readonly tasks: Tasks;
  readonly connections: NodeConnections;
  /** Returns the positions of the nodes at the last reconciliation. */
  readonly lastPositions: () => Promise<readonly { readonly nodeId: string; readonly positionMsat: number }[]>;
}

/** Registers the metrics of ledger, payments, alerts, nodes and webhooks. They are read on each scrape. */
export function registerServiceMetrics(registry: Registry, sources: MetricsSources): void {
  const { ledger, payments, feed, webhooks, alerts, connections, lastPositions, lastBackupAt } = sources;
  const { gauge, gaugeBy, counter } = metricsOf(registry);
  registerDurations(registry, sources);
  registerLeases(registry, sources);
  registerApps(registry, sources);
  registerTasks(registry, sources);
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
  gaugeBy('kind', 'satchel_alerts_open', 'Open alerts by kind; docs/monitoring.md describes what to do', async () =>
    (await alerts.countOpen()).map(({ kind, n }) => [kind, n]),
  );
}

/** In seconds. A node may try routes for a minute. */
const CALL_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** In seconds. A commit waits for the disk, and for the synchronous standby. */
const COMMIT_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
/** In seconds. A delivery may wait for a paused webhook. */
const LAG_SECONDS = [0.1, 0.25, 0.5, 1, 5, 30, 60, 300, 3600];
const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** Registers the distributions of what takes time: commits, calls to nodes, and the wait of webhook deliveries. */
function registerDurations(registry: Registry, { ledger, webhooks, connections }: MetricsSources): void {
  const registers = [registry];
  const sizes = new Histogram({ name: 'satchel_ledger_batch_postings', help: 'Postings in a commit', buckets: BATCH_SIZES, registers });
  const commits = new Histogram({
    name: 'satchel_ledger_batch_seconds',
    help: 'Time of the transaction of a batch, with its commit',
    buckets: COMMIT_SECONDS,
    registers,
  });
  ledger.onBatch(({ postings, seconds }) => {
    sizes.observe(postings);
    commits.observe(seconds);
  });
  const labelNames = ['node', 'call'] as const;
  const calls = new Histogram({
    name: 'satchel_node_call_seconds',
    help: 'Time until a Lightning node responded; pay and keysend wait for the outcome',
    labelNames,
    buckets: CALL_SECONDS,
    registers,
  });
  const failures = new Counter({
    name: 'satchel_node_call_errors_total',
    help: 'Calls to a Lightning node that failed',
    labelNames,
    registers,
  });
  for (const connection of connections.all)
    connection.onCall(({ nodeId: node, call, seconds, hasFailed }) => {
      calls.observe({ node, call }, seconds);
      failures.inc({ node, call }, hasFailed ? 1 : 0);
    });
  const lag = new Histogram({
    name: 'satchel_webhook_lag_seconds',
    help: 'Time from an event to the first attempt to deliver it to a webhook',
    buckets: LAG_SECONDS,
    registers,
  });
  webhooks.onFirstAttempt((seconds) => lag.observe(seconds));
}

/** Registers which background jobs this instance runs on PostgreSQL. A lease that instances take from each other often is a fault. */
function registerLeases(registry: Registry, { instances }: MetricsSources): void {
  metricsOf(registry).gaugeBy('lease', 'satchel_lease_held', 'Whether this instance holds a lease for background jobs', () =>
    Array.from(instances.leaseStats(), ([lease, { isHeld }]) => [lease, isHeld ? 1 : 0] as const),
  );
  new Counter({
    name: 'satchel_lease_changes_total',
    help: 'How often this instance has taken a lease',
    labelNames: ['lease'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [lease, { taken }] of instances.leaseStats()) this.inc({ lease }, taken);
    },
  });
}

/** Registers what apps do that are connected over Nostr, as far as this instance serves them. */
function registerApps(registry: Registry, { nwc }: MetricsSources): void {
  const { gauge, gaugeBy, counter } = metricsOf(registry);
  gaugeBy('relay', 'satchel_nostr_relay_up', 'Whether a Nostr relay of connected apps sends their requests', () =>
    nwc.relayStatuses().map(({ url, isSubscribed }) => [new URL(url).host, isSubscribed ? 1 : 0] as const),
  );
  gauge('satchel_app_events_waiting', 'Responses and notifications that no relay has accepted yet; at most 10000', () =>
    nwc.countWaiting(),
  );
  counter(
    'satchel_app_notifications_dropped_total',
    'Notifications that were not sent to apps, because too many waited',
    () => nwc.counts.droppedNotifications,
  );
  new Counter({
    name: 'satchel_app_responses_total',
    help: 'Responses to connected apps, by method and result or code of the error',
    labelNames: ['method', 'code'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [answered, count] of nwc.counts.answered) {
        const [method = '', code = ''] = answered.split(' ');
        this.inc({ method, code }, count);
      }
    },
  });
  new Counter({
    name: 'satchel_app_events_ignored_total',
    help: 'Events from Nostr relays that were not executed, by reason',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [reason, count] of nwc.counts.ignored) this.inc({ reason }, count);
    },
  });
}

/** Registers what this instance has run of each queue of background work. */
function registerTasks(registry: Registry, { tasks }: MetricsSources): void {
  new Counter({
    name: 'satchel_tasks_total',
    help: 'Attempts of background tasks, by queue and outcome',
    labelNames: ['queue', 'outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [queue, counts] of tasks.counts())
        for (const [outcome, count] of Object.entries(counts)) this.inc({ queue, outcome }, count);
    },
  });
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
