import { Counter, Gauge, type Registry } from 'prom-client';
import type { NodeConnection } from '../../core/connection/connection.ts';
import type { Ledger } from '../../core/ledger/ledger.ts';
import type { Payments } from '../../core/payments/payments.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';

/** The modules whose state is reported. */
export interface MetricsSources {
  readonly ledger: Pick<Ledger, 'stats'>;
  readonly payments: Pick<Payments, 'countPending'>;
  readonly feed: { countListeners(): number };
  readonly webhooks: Pick<Webhooks, 'stats'>;
  readonly alerts: { countOpen(): Promise<readonly OpenAlerts[]> };
  /** Returns the positions of the nodes at the last reconciliation. */
  readonly lastPositions: () => Promise<readonly NodePosition[]>;
  readonly connections: { readonly all: readonly Pick<NodeConnection, 'nodeId' | 'isAvailable'>[] };
}

interface NodePosition {
  readonly nodeId: string;
  readonly positionMsat: number;
}

interface OpenAlerts {
  readonly kind: string;
  readonly n: number;
}

/** Registers the metrics of ledger, payments, alerts and nodes. They are read on each scrape. */
export function registerServiceMetrics(registry: Registry, sources: MetricsSources): void {
  registerLedgerMetrics(registry, sources);
  registerNodeMetrics(registry, sources);
  registerWebhookMetrics(registry, sources);
  const { payments, alerts, feed } = sources;
  const registers = [registry];
  new Gauge({
    name: 'satchel_payments_pending',
    help: 'Payments in flight',
    registers,
    async collect() {
      this.set(await payments.countPending());
    },
  });
  new Gauge({
    name: 'satchel_feed_listeners',
    help: 'Requests that wait for an event, and live streams',
    registers,
    collect() {
      this.set(feed.countListeners());
    },
  });
  new Gauge({
    name: 'satchel_alerts_open',
    help: 'Open alerts by kind; docs/operations.md describes what to do',
    labelNames: ['kind'],
    registers,
    async collect() {
      const open = await alerts.countOpen();
      this.reset();
      for (const { kind, n } of open) this.set({ kind }, n);
    },
  });
}

function registerLedgerMetrics(registry: Registry, { ledger }: MetricsSources): void {
  const registers = [registry];
  new Gauge({
    name: 'satchel_ledger_waiting_postings',
    help: 'Postings that wait for a commit',
    registers,
    collect() {
      this.set(ledger.stats().waiting);
    },
  });
  new Counter({
    name: 'satchel_ledger_batches_total',
    help: 'Commits of the ledger',
    registers,
    collect() {
      this.reset();
      this.inc(ledger.stats().batches);
    },
  });
  new Counter({
    name: 'satchel_ledger_postings_total',
    help: 'Postings in those commits',
    registers,
    collect() {
      this.reset();
      this.inc(ledger.stats().postings);
    },
  });
}

function registerWebhookMetrics(registry: Registry, { webhooks }: MetricsSources): void {
  const registers = [registry];
  // One read of the database for all of them: prom-client collects in the order of registration.
  let stats: ReturnType<Webhooks['stats']>;
  new Counter({
    name: 'satchel_webhook_attempts_total',
    help: 'Attempts to deliver events to webhooks, by outcome',
    labelNames: ['outcome'],
    registers,
    async collect() {
      stats = webhooks.stats();
      const { counts } = await stats;
      this.reset();
      for (const [outcome, count] of Object.entries(counts)) this.inc({ outcome }, count);
    },
  });
  const gauge = (name: string, help: string, read: (of: Awaited<typeof stats>) => number) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(read(await stats));
      },
    });
  gauge(
    'satchel_webhook_deliveries_waiting',
    'Deliveries that failed, and those that wait for them; at most 10000',
    ({ waiting }) => waiting,
  );
  gauge('satchel_webhook_oldest_waiting_seconds', 'The age of the oldest of them', ({ oldestWaitingSeconds }) => oldestWaitingSeconds);
  gauge('satchel_webhooks_disabled', 'Webhooks that the service disabled', ({ disabled }) => disabled);
}

function registerNodeMetrics(registry: Registry, { connections, lastPositions }: MetricsSources): void {
  const registers = [registry];
  new Gauge({
    name: 'satchel_node_up',
    help: 'Whether a Lightning node answers',
    labelNames: ['node'],
    registers,
    async collect() {
      this.reset();
      await Promise.all(connections.all.map(async (one) => this.set({ node: one.nodeId }, (await one.isAvailable()) ? 1 : 0)));
    },
  });
  new Gauge({
    name: 'satchel_node_position_msat',
    help: 'Money that a Lightning node holds for wallets of other nodes, at the last reconciliation; negative if they hold money of its wallets',
    labelNames: ['node'],
    registers,
    async collect() {
      const positions = await lastPositions();
      this.reset();
      for (const { nodeId, positionMsat } of positions) this.set({ node: nodeId }, positionMsat);
    },
  });
}
