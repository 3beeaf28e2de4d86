import type { EntryRow } from '../ledger/entries.sql.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** What a statement covers, in Unix seconds, both included. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

const PAGE = 1000;
/** Instances stamp entries by clocks of their own, which may differ by this much. */
const CLOCK_SLACK_MS = 60_000;

/**
 * An account's entries of a period, oldest first, a page at a time: any number of rows in bounded memory. Entries are numbered in the
 * order of their time, so the first of the period is found by halving, and nothing before it is read.
 */
export async function* entriesOfPeriod(
  ledger: Ledger,
  { account, total }: { account: number; total: number },
  period: Period,
): AsyncGenerator<EntryRow[]> {
  const [fromMs, untilMs] = [period.from * 1000, period.to * 1000 + 999];
  for (let first = await firstSince(ledger, account, total, fromMs - CLOCK_SLACK_MS); first <= total; first += PAGE) {
    const page = await ledger.entries(account, first, Math.min(first + PAGE - 1, total));
    yield page.reverse().filter((row) => row.created_at_ms >= fromMs && row.created_at_ms <= untilMs);
    if ((page.at(-1)?.created_at_ms ?? 0) > untilMs + CLOCK_SLACK_MS) return;
  }
}

/** The number of the first entry that is not before a time; one more than the last when there is none. */
async function firstSince(ledger: Ledger, account: number, total: number, sinceMs: number): Promise<number> {
  let [low, high] = [1, total + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [row] = await ledger.entries(account, middle, middle);
    if (row && row.created_at_ms < sinceMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
