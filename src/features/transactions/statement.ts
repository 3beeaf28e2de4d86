import type { EntryRow, Ledger } from '../../core/ledger/ledger.ts';
import { CLOCK_SLACK_MS, firstPlaceSince, pieceTurn } from './places.ts';

/** The period of a statement, in Unix seconds, both inclusive. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** The page size: the memory that a slow client occupies. */
const PAGE = 100;

/**
 * Reads an account's entries of a period, oldest first, a page at a time to bound the memory. Entry numbers have the order of their times, so a
 * binary search finds the first one.
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
