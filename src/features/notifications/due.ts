import type { Database } from '../../core/db/database.ts';
import * as sql from './notifications.sql.ts';

/** The alerts of one kind and subject that a channel has to report, oldest first. */
export type DueAlerts = readonly [sql.DueRow, ...sql.DueRow[]];

/** Alerts that were resolved longer ago are not sent: they need no action. */
const RESOLVED_SECONDS = 86_400;
/** The number of messages per hour that report an alert of the same kind and subject as raised. */
const MAX_PER_HOUR = 3;
const HOUR = 3600;

/**
 * Returns the alerts that a channel has to report at `now`, in Unix seconds; none until the oldest change is `gather` seconds old. An alert that
 * was reported {@link MAX_PER_HOUR} times within the last hour is held back. The resolution of a reported alert is always reported.
 */
export async function findDue(
  database: Database,
  { name, created_at }: sql.ChannelRow,
  { now, gather }: { readonly now: number; readonly gather: number },
): Promise<readonly DueAlerts[]> {
  const raised = await database.all(sql.listRaised, name);
  const resolved = await database.all(sql.listResolved, name, Math.max(created_at, now - RESOLVED_SECONDS));
  const rows = [...raised, ...resolved];
  if (rows.every((row) => now - (row.cleared_at ?? row.raised_at) < gather)) return [];
  const recent = Map.groupBy(await database.all(sql.listRecent, name, now - HOUR), keyOf);
  const isHeldBack = (key: string) => new Set(recent.get(key)?.map(({ sent_at }) => sent_at)).size >= MAX_PER_HOUR;
  return Array.from(Map.groupBy(rows, keyOf)).flatMap(([key, group]) => {
    const [first, ...others] = (isHeldBack(key) ? group.filter(({ notice }) => notice !== null) : group).toSorted(byId);
    return first ? [[first, ...others] as const] : [];
  });
}

function keyOf({ kind, subject }: Pick<sql.DueRow, 'kind' | 'subject'>): string {
  return `${kind} ${subject}`;
}

function byId(a: sql.DueRow, b: sql.DueRow): number {
  return a.id < b.id ? -1 : 1;
}
