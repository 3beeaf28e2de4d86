import type { Database, Tx } from '../db/database.ts';
import { openList } from '../db/list.ts';
import { type RowWrite, writeRows } from '../db/row-write.ts';
import { eventRow } from '../journal/events.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { List } from '../kernel/list.ts';
import type { Log } from '../kernel/log.ts';
import type { AlertDetails } from './alert-details.ts';
import { ALERT_KINDS, type AlertKind } from './alert-kinds.ts';
import * as sql from './alerts.sql.ts';

export type Alert = sql.AlertRow;

export interface NewAlert {
  readonly kind: AlertKind;
  readonly subject: string;
  /** It is logged, so it must not contain a secret. */
  readonly message: string;
  readonly details?: AlertDetails | undefined;
}

/** Which alerts a list contains. */
export const ALERT_STATES = ['open', 'resolved', 'all'] as const;
export type AlertState = (typeof ALERT_STATES)[number];

const PAGE = 100;

export type Alerts = ReturnType<typeof createAlerts>;

export function createAlerts(database: Database, clock: Clock, log: Log) {
  /** Returns the rows of a posting that open an alert, or update the open one. Call `announce` after the commit. */
  function rowsOf({ kind, subject, message, details = {} }: NewAlert): RowWrite[] {
    const id = `alert_${newId(clock.nowMs())}`;
    const now = unixSeconds(clock);
    const alert = { id, kind, subject, message, details, raised_at: now };
    return [
      {
        statement: sql.raise,
        parameters: [id, kind, subject, message, now, JSON.stringify(details)],
        onMiss: new Error('the alert was not stored'),
      },
      eventRow(clock, { type: 'alert_raised', owner: 'operator', subject: id, data: { alert } }),
    ];
  }

  /** Logs the alerts of all instances that were opened and not logged yet. Each is logged once. */
  async function announce(): Promise<void> {
    if (!(await database.first(sql.findUnannounced))) return;
    const opened = await database.transaction((tx) => tx.all(sql.announce, unixSeconds(clock)));
    for (const { kind, subject, message } of opened) log.error({ alert: kind, subject, reason: message }, `alert: ${kind}`);
  }

  /** Writes the event of an alert that was closed. @returns whether there was one */
  async function reportClosed(tx: Tx, alert: sql.ClosedAlertRow | undefined, now: number): Promise<boolean> {
    if (!alert) return false;
    const data = { alert: { ...alert, details: JSON.parse(alert.details) as AlertDetails, resolved_at: now } };
    await writeRows(tx, [eventRow(clock, { type: 'alert_resolved', owner: 'operator', subject: alert.id, data })]);
    return true;
  }

  /** Closes an alert in a transaction, because its cause is gone. @returns whether it was open */
  async function clearIn(tx: Tx, kind: AlertKind, subject: string): Promise<boolean> {
    const now = unixSeconds(clock);
    return reportClosed(tx, await tx.first(sql.clear, kind, subject, now), now);
  }

  return {
    rowsOf,
    announce,
    clearIn,
    /** Opens an alert, or updates the open one. */
    async raise(alert: NewAlert): Promise<void> {
      await database.transaction((tx) => writeRows(tx, rowsOf(alert)));
      await announce();
    },
    /** Closes an alert, because its cause is gone. @returns whether it was open */
    async clear(kind: AlertKind, subject: string): Promise<boolean> {
      const isCleared = await database.transaction((tx) => clearIn(tx, kind, subject));
      if (isCleared) log.info({ alert: kind, subject }, `alert cleared: ${kind}`);
      return isCleared;
    },
    /** Closes an open alert on behalf of an operator. An alert whose cause persists opens again. @returns whether it was open */
    async closeIn(tx: Tx, id: string, by: string, reason: string): Promise<boolean> {
      const now = unixSeconds(clock);
      return reportClosed(tx, await tx.first(sql.close, id, now, by, reason), now);
    },
    /** Returns when the last alert that an operator has closed was raised or updated last, in Unix seconds. */
    async lastAccepted(kind: AlertKind, subject: string): Promise<number | undefined> {
      return (await database.first(sql.findAccepted, kind, subject))?.last_seen_at ?? undefined;
    },
    /** Returns the open alerts, oldest first, at most 1000. */
    listOpen: (): Promise<Alert[]> => database.all(sql.listOpen),
    /** Returns the alerts of a state, in the order of their times. */
    list: (state: AlertState): List<Alert> => openList(database, { statements: sql.listOfState[state], prefix: 'alert' }),
    find: (id: string): Promise<Alert | undefined> => database.first(sql.find, id),
    /** Returns the number of open alerts of each kind that has any. */
    countOpen: (): Promise<{ kind: string; n: number }[]> => database.all(sql.countOpen),
    /** Returns the subjects of all open alerts of a kind. */
    async openSubjects(kind: AlertKind): Promise<string[]> {
      const subjects: string[] = [];
      for (let after = ''; ; after = subjects.at(-1) ?? '') {
        const page = await database.all(sql.openSubjects, kind, after, PAGE);
        subjects.push(...page.map(({ subject }) => subject));
        if (page.length < PAGE) return subjects;
      }
    },
  };
}

/** Returns what alerts of a kind mean, and what the operator should do. */
export function describeKind(kind: string): { readonly meaning: string; readonly remedy: string } {
  if (kind in ALERT_KINDS) return ALERT_KINDS[kind as AlertKind];
  return { meaning: '', remedy: 'This version does not know this alert; see docs/monitoring.md.' };
}
