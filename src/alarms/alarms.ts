import type { Database } from '../db/database.ts';
import type { RowWrite } from '../db/row-write.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import type { Log } from '../kernel/log.ts';
import { ALARM_KINDS, type AlarmKind } from './alarm-kinds.ts';
import * as sql from './alarms.sql.ts';

/** Something that an operator should look at. There is at most one open alarm for a kind and subject. Times are Unix seconds. */
export interface Alarm {
  /** `alarm_…` */
  readonly id: string;
  readonly kind: AlarmKind;
  /** What it is about: the id of a payment or an invoice; `node` for the node itself. */
  readonly subject: string;
  readonly message: string;
  readonly raisedAt: number;
  readonly lastSeenAt: number;
}

/** The message is for the operator and reaches the log: it carries no secret. */
export type NewAlarm = Pick<Alarm, 'kind' | 'subject' | 'message'>;

export interface Alarms {
  /** Opens an alarm, or notes of the open one that it is still so. */
  raise(alarm: NewAlarm): Promise<void>;
  /** The same as a row of a posting; always changes one row. Call {@link announce} once it is posted. */
  rowOf(alarm: NewAlarm): RowWrite;
  /** Writes alarms that have opened to the log, each once, whichever instance opened it. */
  announce(): Promise<void>;
  /** Its cause is gone. @returns whether there was such an open alarm. */
  clear(kind: AlarmKind, subject: string): Promise<boolean>;
  /** Open alarms, oldest first; `after` is the id of the last one seen. */
  listOpen(after?: string, limit?: number): Promise<Alarm[]>;
  /** How many are open of each kind that has any. */
  countOpen(): Promise<{ kind: string; n: number }[]>;
  /** The subjects of all open alarms of a kind. */
  openSubjects(kind: AlarmKind): Promise<string[]>;
}

const PAGE = 100;

export function createAlarms(database: Database, clock: Clock, log: Log): Alarms {
  function rowOf({ kind, subject, message }: NewAlarm): RowWrite {
    const parameters = [`alarm_${newId(clock.nowMs())}`, kind, subject, message, unixSeconds(clock)];
    return { statement: sql.raise, parameters, otherwise: new Error('the alarm was not kept') };
  }

  async function announce(): Promise<void> {
    if (!(await database.first(sql.findUnannounced))) return;
    const opened = await database.transaction((tx) => tx.all(sql.announce, unixSeconds(clock)));
    for (const { kind, subject, message } of opened) log.error({ alarm: kind, subject, reason: message }, `alarm: ${kind}`);
  }

  return {
    rowOf,
    announce,
    async raise(alarm) {
      const { statement, parameters } = rowOf(alarm);
      await database.transaction((tx) => tx.run(statement, ...parameters));
      await announce();
    },
    async clear(kind, subject) {
      const cleared = await database.transaction((tx) => tx.run(sql.clear, kind, subject, unixSeconds(clock)));
      if (cleared > 0) log.info({ alarm: kind, subject }, `alarm cleared: ${kind}`);
      return cleared > 0;
    },
    listOpen: async (after = '', limit = PAGE) => (await database.all(sql.listOpen, after, limit)).map(toAlarm),
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

/** An alarm that a newer version raised keeps its words, although this one cannot say what to do about it. */
export function adviceFor(kind: string): string {
  return kind in ALARM_KINDS ? ALARM_KINDS[kind as AlarmKind].todo : 'This version does not know this alarm; see docs/operations.md.';
}

function toAlarm(row: sql.AlarmRow): Alarm {
  const { id, kind, subject, message } = row;
  return { id, kind: kind as AlarmKind, subject, message, raisedAt: row.raised_at, lastSeenAt: row.last_seen_at };
}
