import type { SqlReader } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';

/** Marks of batches are kept longer (store-postgres.ts). */
const KEPT_SECONDS = 3600;

const findCommitted = statement<{ id: string }>(
  'ledger_find_committed_batches',
  "SELECT id FROM ledger_batch WHERE id = ANY($1) AND outcome = 'committed'",
);

/**
 * The batches that this process has confirmed in the last hour, the last one of each second. A server that lacks the newest one has forgotten
 * confirmed commits: it was promoted without having them, or lost the promotion to another server and got it back.
 */
export class ConfirmedBatches {
  readonly #clock: Clock;
  /** In the order of their commits. */
  readonly #batches: { readonly id: string; readonly second: number }[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(id: string): void {
    const second = unixSeconds(this.#clock);
    if (this.#batches.at(-1)?.second === second) this.#batches.pop();
    this.#batches.push({ id, second });
    while ((this.#batches[0]?.second ?? second) < second - KEPT_SECONDS) this.#batches.shift();
  }

  /**
   * Returns the time up to which a server has what was confirmed, in Unix seconds; undefined if it has everything. A server's history is a
   * beginning of another one's.
   */
  async missingSince(server: SqlReader): Promise<number | undefined> {
    const batches = [...this.#batches];
    const oldest = batches[0];
    if (oldest === undefined) return undefined;
    const ids = batches.map(({ id }) => id);
    const found = new Set((await server.all(findCommitted, ids)).map(({ id }) => id));
    if (found.has(ids.at(-1) ?? '')) return undefined;
    return batches.findLast(({ id }) => found.has(id))?.second ?? oldest.second;
  }
}
