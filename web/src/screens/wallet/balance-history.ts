/** A settled transaction, as far as the chart needs it. */
export interface Movement {
  /** Unix seconds. */
  readonly at: number;
  /** Signed. */
  readonly msat: number;
  readonly isFee: boolean;
}

export interface Point {
  /** Unix seconds. */
  readonly at: number;
  /** Whole sats after that time. */
  readonly value: number;
}

/**
 * Returns the balance after each movement, oldest first. It is calculated backwards from the present balance, so it needs no older movements.
 * `movements` are newest first, `from` is the start of the period in Unix seconds.
 */
export function balanceSteps(movements: readonly Movement[], balanceMsat: number, { from, now }: { from: number; now: number }): Point[] {
  const points: Point[] = [{ at: now, value: Math.floor(balanceMsat / 1000) }];
  let [msat, latest] = [balanceMsat, now];
  for (const movement of movements) {
    if (movement.at < from) break;
    // A payment is listed at its start, which may be before the end of an earlier one.
    latest = Math.min(latest, movement.at);
    points.push({ at: latest, value: Math.floor(msat / 1000) });
    msat -= movement.msat;
  }
  points.push({ at: Math.min(from, latest), value: Math.floor(msat / 1000) });
  return points.reverse();
}

/** What came in and went out within the period. Fees are part of what went out. */
export interface Totals {
  readonly inMsat: number;
  readonly outMsat: number;
  readonly feeMsat: number;
  readonly inCount: number;
  readonly outCount: number;
}

export function totalsOf(movements: readonly Movement[]): Totals {
  const [income, expenses] = [movements.filter(({ msat }) => msat > 0), movements.filter(({ msat }) => msat < 0)];
  const sum = (some: readonly Movement[]) => some.reduce((total, { msat }) => total + Math.abs(msat), 0);
  return {
    inMsat: sum(income),
    outMsat: sum(expenses),
    feeMsat: sum(expenses.filter(({ isFee }) => isFee)),
    inCount: income.length,
    outCount: expenses.filter(({ isFee }) => !isFee).length,
  };
}

export interface Day {
  /** The start of the day, in Unix seconds. */
  readonly at: number;
  /** Whole sats. */
  readonly in: number;
  readonly out: number;
}

/** Returns what came in and went out on each day of the period, oldest first, also on days without movements. */
export function daysOf(movements: readonly Movement[], { from, now }: { from: number; now: number }): Day[] {
  const days = new Map<number, { in: number; out: number }>();
  for (let day = startOfDay(from); day <= now; day = startOfDay(day + 36 * 3600)) days.set(day, { in: 0, out: 0 });
  for (const { at, msat } of movements) {
    const day = days.get(startOfDay(at));
    if (day && msat > 0) day.in += msat;
    else if (day) day.out -= msat;
  }
  return [...days].map(([at, moved]) => ({ at, in: Math.floor(moved.in / 1000), out: Math.ceil(moved.out / 1000) }));
}

/** In the time zone of the browser. */
function startOfDay(at: number): number {
  return Math.floor(new Date(at * 1000).setHours(0, 0, 0, 0) / 1000);
}
