import type { Database, Tx } from '../db/database.ts';
import { type RowWrite, writeRows } from '../db/row-write.ts';
import { eventRow } from '../journal/events.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { Log } from '../kernel/log.ts';
import { ALERT_KINDS, type AlertKind } from './alert-kinds.ts';
import * as sql from './alerts.sql.ts';

/** An alert for the operator. At most one alert of a kind and subject is open. Times are Unix seconds. */
export interface Alert {
  /** `alert_…` */
  readonly id: string;
  readonly kind: AlertKind;
  /** The id of a payment, an invoice or a reconciliation; `node` or `suspense`. */
  readonly subject: string;
  readonly message: string;
  readonly raisedAt: number;
  readonly lastSeenAt: number;
}

/** The message is logged, so it must not contain a secret. */
export type NewAlert = Pick<Alert, 'kind' | 'subject' | 'message'>;

export interface Alerts {
  /** Opens an alert, or updates the open one. */
  raise(alert: NewAlert): Promise<void>;
  /** Returns the same as rows of a posting. Call {@link announce} after the commit. */
  rowsOf(alert: NewAlert): RowWrite[];
  /** Logs the alerts of all instances that were opened and not logged yet. Each is logged once. */
  announce(): Promise<void>;
  /** Closes the alert, because its cause is gone. @returns whether it was open. */
  clear(kind: AlertKind, subject: string): Promise<boolean>;
  /** The same in a transaction. */
  clearIn(tx: Tx, kind: AlertKind, subject: string): Promise<boolean>;
  /** Returns open alerts, oldest first, after the id `after`. */
  listOpen(after?: string, limit?: number): Promise<Alert[]>;
  /** Returns a page of alerts of a state, newest first, and their number. */
  list(state: AlertState, limit: number, offset: number): Promise<{ alerts: ListedAlert[]; total: number }>;
  find(id: string): Promise<ListedAlert | undefined>;
  /** Returns the number of open alerts of each kind that has any. */
  countOpen(): Promise<{ kind: string; n: number }[]>;
  /** Returns the subjects of all open alerts of a kind. */
  openSubjects(kind: AlertKind): Promise<string[]>;
}

/** Which alerts a list contains. */
export const ALERT_STATES = ['open', 'resolved', 'all'] as const;
export type AlertState = (typeof ALERT_STATES)[number];

/** An alert that may have been closed. */
export interface ListedAlert extends Alert {
  /** Unix seconds. */
  readonly resolvedAt: number | undefined;
  /** The operator who closed it, and why; undefined if the service closed it. */
  readonly closedBy: string | undefined;
  readonly closeReason: string | undefined;
}

const PAGE = 100;

export function createAlerts(database: Database, clock: Clock, log: Log): Alerts {
  function rowsOf({ kind, subject, message }: NewAlert): RowWrite[] {
    const id = `alert_${newId(clock.nowMs())}`;
    const now = unixSeconds(clock);
    const alert = { id, kind, subject, message, raised_at: now };
    return [
      { statement: sql.raise, parameters: [id, kind, subject, message, now], onMiss: new Error('the alert was not stored') },
      eventRow(clock, { type: 'alert_raised', owner: 'operator', subject: id, data: { alert } }),
    ];
  }

  async function announce(): Promise<void> {
    if (!(await database.first(sql.findUnannounced))) return;
    const opened = await database.transaction((tx) => tx.all(sql.announce, unixSeconds(clock)));
    for (const { kind, subject, message } of opened) log.error({ alert: kind, subject, reason: message }, `alert: ${kind}`);
  }

  async function clearIn(tx: Tx, kind: AlertKind, subject: string): Promise<boolean> {
    const now = unixSeconds(clock);
    const alert = await tx.first(sql.clear, kind, subject, now);
    if (alert) await writeRows(tx, [resolvedEvent(clock, alert, now)]);
    return alert !== undefined;
  }

  return {
    rowsOf,
    announce,
    async raise(alert) {
      await database.transaction((tx) => writeRows(tx, rowsOf(alert)));
      await announce();
    },
    clearIn,
    async clear(kind, subject) {
      const isCleared = await database.transaction((tx) => clearIn(tx, kind, subject));
      if (isCleared) log.info({ alert: kind, subject }, `alert cleared: ${kind}`);
      return isCleared;
    },
    listOpen: async (after = '', limit = PAGE) => (await database.all(sql.listOpen, after, limit)).map(toAlert),
    async list(state, limit, offset) {
      const rows = await database.all(sql.listOf[state], limit, offset);
      const count = await database.first(sql.countOf[state]);
      return { alerts: rows.map(toListed), total: count?.n ?? 0 };
    },
    async find(id) {
      const row = await database.first(sql.find, id);
      return row && toListed(row);
    },
    countOpen: () => database.all(sql.countOpen),
    async openSubjects(kind) {
      const subjects: string[] = [];
      for (let after = ''; ; after = subjects.at(-1) ?? '') {
        const page = await database.all(sql.openSubjects, kind, after, PAGE);
        subjects.push(...page.map(({ subject }) => subject));
        if (page.length < PAGE) return subjects;
      }
    },
  };
}

/** Closes an open alert on behalf of an operator. An alert whose cause persists opens again. @returns whether it was open */
export async function closeAlert(tx: Tx, clock: Clock, id: string, by: string, reason: string): Promise<boolean> {
  const now = unixSeconds(clock);
  const alert = await tx.first(sql.close, id, now, by, reason);
  if (alert) await writeRows(tx, [resolvedEvent(clock, alert, now)]);
  return alert !== undefined;
}

function resolvedEvent(clock: Clock, alert: Omit<sql.AlertRow, 'last_seen_at'>, now: number): RowWrite {
  const data = { alert: { ...alert, resolved_at: now } };
  return eventRow(clock, { type: 'alert_resolved', owner: 'operator', subject: alert.id, data });
}

/** Returns what the operator should do. A newer version may have stored kinds that this version does not know. */
export function remedyFor(kind: string): string {
  return kind in ALERT_KINDS ? ALERT_KINDS[kind as AlertKind].remedy : 'This version does not know this alert; see docs/operations.md.';
}

/** Returns what an alert means; an empty text for a kind of a newer version. */
export function meaningOf(kind: string): string {
  return kind in ALERT_KINDS ? ALERT_KINDS[kind as AlertKind].meaning : '';
}

function toListed(row: sql.ListedAlertRow): ListedAlert {
  const { cleared_at, closed_by, close_reason } = row;
  return { ...toAlert(row), resolvedAt: cleared_at ?? undefined, closedBy: closed_by ?? undefined, closeReason: close_reason ?? undefined };
}

function toAlert(row: sql.AlertRow): Alert {
  const { id, kind, subject, message } = row;
  return { id, kind: kind as AlertKind, subject, message, raisedAt: row.raised_at, lastSeenAt: row.last_seen_at };
}
