import type { EntryRow, Ledger } from '../ledger/ledger.ts';
import { CLOCK_SLACK_MS, firstPlaceSince } from './places.ts';
import { pieceTurn } from './turns.ts';

/** What a statement covers, in Unix seconds, both included. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** A client that reads slowly keeps one page in memory. */
const PAGE = 100;

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
  const bookedAtMs = async (entry: number) => (await ledger.entries(account, entry, entry))[0]?.created_at_ms;
  for (let first = await firstPlaceSince({ bookedAtMs }, total, fromMs - CLOCK_SLACK_MS); first <= total; first += PAGE) {
    const page = await ledger.entries(account, first, Math.min(first + PAGE - 1, total));
    yield page.reverse().filter((row) => row.created_at_ms >= fromMs && row.created_at_ms <= untilMs);
    if ((page.at(-1)?.created_at_ms ?? 0) > untilMs + CLOCK_SLACK_MS) return;
    if (first + PAGE <= total) await pieceTurn();
  }
}
