import type { Alerts } from '../../core/alerts/alerts.ts';
import type { Database, Tx } from '../../core/db/database.ts';
import { writeRows } from '../../core/db/row-write.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { errorMessage, type Log } from '../../core/kernel/log.ts';
import * as rows from './deliveries.sql.ts';
import type { LogPlace } from './log-place.ts';
import type { DisabledReason, Webhook } from './webhook.ts';
import * as sql from './webhooks.sql.ts';

/** An endpoint whose progress is stored with the results. */
export interface Progressing {
  readonly webhook: Webhook;
  /** The place up to which every event was delivered or has a row, counting rows that are not written yet. */
  readonly cursor: LogPlace;
  readonly health: Pick<Webhook, 'lastSuccessAt' | 'failingSince' | 'failures'>;
}

/** Collects the results of deliveries and writes those of all endpoints together. */
export interface Results {
  /** The number of results that are not written. */
  readonly pending: number;
  insert(queue: Progressing, row: rows.DeliveryRow): void;
  update(queue: Progressing, row: rows.DeliveryRow): void;
  /** Makes the waiting deliveries of an endpoint due that is reachable again. */
  makeDue(queue: Progressing): void;
  disable(queue: Progressing, reason: DisabledReason): void;
  /** Stores the progress of an endpoint, also without results. */
  touch(queue: Progressing): void;
  /** Waits until everything that was collected before the call is written. */
  flush(): Promise<void>;
  /** Writes what was collected, with one try. */
  close(): Promise<void>;
}

export interface ResultDependencies {
  readonly database: Database;
  readonly alerts: Pick<Alerts, 'rowsOf' | 'announce'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly holder: string;
  /** How long results are collected before they are written. */
  readonly flushMs: () => number;
}

const RETRY_MS = 1000;

class Batch {
  readonly inserted: rows.DeliveryRow[] = [];
  readonly updated = new Map<string, rows.DeliveryRow>();
  readonly due = new Set<Progressing>();
  readonly disabled = new Map<Progressing, DisabledReason>();
  readonly touched = new Set<Progressing>();
}

export function createResults(deps: ResultDependencies): Results {
  let batch = new Batch();
  let pending = 0;
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();
  let isClosing = false;

  function collect(queue: Progressing, add: (to: Batch) => void): void {
    add(batch);
    batch.touched.add(queue);
    pending += 1;
    timer ??= setTimeout(() => void flush(), deps.flushMs());
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    last = last.then(writeAll);
    return last;
  }

  async function writeAll(): Promise<void> {
    if (batch.touched.size === 0) return;
    const [taken, count] = [batch, pending];
    batch = new Batch();
    // Computed now: results that are collected during the write are not part of it.
    const progress = Array.from(taken.touched, ({ webhook, cursor, health }) => ({ id: webhook.id, cursor, ...health }));
    for (;;) {
      try {
        await deps.database.transaction((tx) => write(deps, tx, taken, progress));
        break;
      } catch (error) {
        deps.log.warn({ reason: errorMessage(error) }, 'results of webhook deliveries could not be stored');
        // The events are delivered again after the next start.
        if (isClosing) break;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
    pending -= count;
    if (taken.disabled.size > 0) await deps.alerts.announce().catch(() => undefined);
  }

  return {
    get pending() {
      return pending;
    },
    insert: (queue, row) => collect(queue, ({ inserted }) => inserted.push(row)),
    update: (queue, row) => collect(queue, ({ updated }) => updated.set(row.id, row)),
    makeDue: (queue) => collect(queue, ({ due }) => due.add(queue)),
    disable: (queue, reason) => collect(queue, ({ disabled }) => disabled.set(queue, reason)),
    touch: (queue) => collect(queue, () => undefined),
    flush,
    close() {
      isClosing = true;
      return flush();
    },
  };
}

type StoredProgress = Progressing['health'] & { readonly id: string; readonly cursor: LogPlace };

async function write(deps: ResultDependencies, tx: Tx, batch: Batch, progress: readonly StoredProgress[]): Promise<void> {
  const { alerts, clock, holder } = deps;
  const { inserted, updated, due, disabled } = batch;
  if (inserted.length > 0) await tx.run(rows.insertDeliveries, JSON.stringify(inserted));
  for (const { webhook } of due) await tx.run(rows.makeDue, webhook.id, clock.nowMs());
  if (updated.size > 0) await tx.run(rows.updateDeliveries, JSON.stringify([...updated.values()]));
  for (const { id, cursor, lastSuccessAt = null, failingSince = null, failures } of progress)
    await tx.run(sql.storeProgress, id, holder, cursor.position, cursor.rank, lastSuccessAt, failingSince, failures);
  for (const [{ webhook }, reason] of disabled) {
    if ((await tx.run(sql.disableWebhook, webhook.id, reason, unixSeconds(clock))) === 0) continue;
    await writeRows(tx, alerts.rowsOf({ kind: 'webhook_disabled', subject: webhook.id, message: alertOf(webhook, reason) }));
  }
}

/** The path and the query of the URL may contain secrets. */
function alertOf({ url }: Webhook, reason: DisabledReason): string {
  const { host } = new URL(url);
  return reason === 'gone' ? `${host} responded 410 Gone.` : `Nothing was delivered to ${host} for three days.`;
}
