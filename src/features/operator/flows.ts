import type { Database, SqlReader } from '../../core/db/database.ts';
import { readFact, writeFact } from '../../core/db/facts.sql.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { firstIdAt } from '../../core/kernel/ids.ts';
import * as sql from './flows.sql.ts';

/** Sums of payments over Lightning. */
export type Flow = sql.FlowRow;

const HOUR_MS = 3_600_000;
/** Instances on several machines place rows by their own clocks, which may differ by less than this. */
const SKEW_MS = 120_000;
/** Hours that one run of the job computes. */
const HOURS_AT_ONCE = 500;
/** The first hour that is not computed. */
const FACT = 'node_flow_hours';
/** The number of hours over which the rate of a node is measured. */
const RATE_DAYS = 7;
const RATE_HOURS = 24 * RATE_DAYS;

interface FlowContext {
  readonly database: Database;
  readonly clock: Clock;
}

/** Computes the hours that are over and not computed yet, oldest first. The cost of each is that of its bookings. @returns whether more are left */
export async function computeFlowHours({ database, clock }: FlowContext, signal: AbortSignal): Promise<boolean> {
  const present = Math.floor((clock.nowMs() - SKEW_MS) / HOUR_MS);
  for (let done = 0; done < HOURS_AT_ONCE && !signal.aborted; done += 1) {
    const stored = await readComputedUntil(database);
    const position = await positionBefore(database, (stored ?? 0) * HOUR_MS);
    const first = await database.first(sql.firstFrom, position + 1);
    // Hours without bookings are skipped.
    const hour = first ? Math.max(stored ?? 0, Math.floor((first.placed_at_ms - SKEW_MS) / HOUR_MS)) : present;
    if (hour >= present) {
      if (stored !== present) await database.transaction((tx) => tx.run(writeFact, FACT, String(present)));
      return false;
    }
    const bookings = await bookingsOf(database, hour * HOUR_MS, (hour + 1) * HOUR_MS);
    const flow = await sumBookings(database, bookings);
    const nodes = await database.all(sql.sumByNode, ...bookings);
    await database.transaction(async (tx) => {
      const { in_msat, in_count, out_msat, out_count, routing_msat, earned_msat } = flow;
      if (Object.values(flow).some((value) => value !== 0))
        await tx.run(sql.storeHour, hour, in_msat, in_count, out_msat, out_count, routing_msat, earned_msat);
      for (const node of nodes)
        if (node.in_msat !== 0 || node.out_msat !== 0)
          await tx.run(sql.storeNodeHour, node.ledger_account, hour, node.in_msat, node.out_msat);
      await tx.run(writeFact, FACT, String(hour + 1));
    });
  }
  return true;
}

/**
 * Returns the sums of a period (whole hours in Unix seconds; `until` may be later than now). Hours that are computed cost a row each, the few others
 * their bookings. Undefined while the job has not computed the hours of the period.
 */
export async function readFlow({ database, clock }: FlowContext, from: number, until: number): Promise<Flow | undefined> {
  const [first, end] = [Math.floor((from * 1000) / HOUR_MS), Math.ceil((until * 1000) / HOUR_MS)];
  const computedUntil = (await readComputedUntil(database)) ?? 0;
  const present = Math.floor(clock.nowMs() / HOUR_MS);
  if (computedUntil < Math.min(end, present - MAX_LIVE_HOURS)) return undefined;
  const hours = await database.first(sql.sumHours, first, Math.min(end, computedUntil));
  if (!hours || computedUntil >= end) return hours;
  const rest = await sumBookings(database, await bookingsOf(database, Math.max(first, computedUntil) * HOUR_MS, end * HOUR_MS));
  return add(hours, rest);
}

/** More hours are not read from the bookings by a request. */
const MAX_LIVE_HOURS = 3;

/** The amounts per day that a node received and sent. */
export interface NodeRate {
  readonly ledgerAccount: number;
  readonly inDayMsat: number;
  readonly outDayMsat: number;
  /** Whether the node had its first booking before the period. Otherwise the rate is that of a shorter time. */
  readonly coversPeriod: boolean;
}

/** Returns the rates of nodes in the last seven computed days; undefined while the job has not computed them. Reads only sums. */
export async function readNodeRates({ database, clock }: FlowContext, ledgerAccounts: readonly number[]): Promise<NodeRate[] | undefined> {
  const until = (await readComputedUntil(database)) ?? 0;
  if (until < Math.floor(clock.nowMs() / HOUR_MS) - MAX_LIVE_HOURS) return undefined;
  const from = until - RATE_HOURS;
  return Promise.all(
    ledgerAccounts.map(async (ledgerAccount) => {
      const row = await database.first(sql.sumNodeHours, ledgerAccount, from, until);
      const { first_hour: first, in_msat, out_msat } = row ?? { first_hour: null, in_msat: 0, out_msat: 0 };
      const perDay = (msat: number) => Math.floor(msat / RATE_DAYS);
      return { ledgerAccount, inDayMsat: perDay(in_msat), outDayMsat: perDay(out_msat), coversPeriod: first !== null && first <= from };
    }),
  );
}

export interface FailedPayments {
  readonly reason: string;
  readonly count: number;
}

/** Counts the payments over Lightning that were started in a period (Unix seconds) and have failed, by reason. Reads failed payments alone. */
export function countFailures(database: SqlReader, from: number, until: number): Promise<FailedPayments[]> {
  const idAt = (seconds: number) => `lntx_${firstIdAt(seconds * 1000)}`;
  return database.all(sql.countFailures, idAt(from), idAt(until));
}

/** Returns the beginning of the present hour, in Unix seconds. */
export function presentHour(clock: Clock): number {
  const now = unixSeconds(clock);
  return now - (now % 3600);
}

async function readComputedUntil(database: SqlReader): Promise<number | undefined> {
  const fact = await database.first(readFact, FACT);
  return fact && Number(fact.value);
}

/** The positions between which the bookings of a period lie, and the period in Unix milliseconds. */
type Bookings = readonly [after: number, until: number, fromMs: number, untilMs: number];

async function bookingsOf(database: SqlReader, fromMs: number, untilMs: number): Promise<Bookings> {
  const after = await positionBefore(database, fromMs);
  const last = (await database.first(sql.lastRow))?.position ?? 0;
  const until = Math.min(last, await positionBefore(database, untilMs + 2 * SKEW_MS));
  return [after, Math.max(after, until), fromMs, untilMs];
}

async function sumBookings(database: SqlReader, bookings: Bookings): Promise<Flow> {
  const sums = await database.first(sql.sumBookings, ...bookings);
  return sums ?? { in_msat: 0, in_count: 0, out_msat: 0, out_count: 0, routing_msat: 0, earned_msat: 0 };
}

/** Returns a position before which all rows were placed before a time. Rows are placed in the order of their positions, but for the skew of clocks. */
async function positionBefore(database: SqlReader, ms: number): Promise<number> {
  let [low, high] = [0, (await database.first(sql.lastRow))?.position ?? 0];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = await database.first(sql.firstFrom, middle + 1);
    if (row && row.placed_at_ms < ms - SKEW_MS) low = Math.max(middle + 1, row.position);
    else high = middle;
  }
  return Math.min(low, high);
}

function add(a: Flow, b: Flow): Flow {
  return {
    in_msat: a.in_msat + b.in_msat,
    in_count: a.in_count + b.in_count,
    out_msat: a.out_msat + b.out_msat,
    out_count: a.out_count + b.out_count,
    routing_msat: a.routing_msat + b.routing_msat,
    earned_msat: a.earned_msat + b.earned_msat,
  };
}
