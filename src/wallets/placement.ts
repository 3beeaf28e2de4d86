import type { Database } from '../db/database.ts';
import { Refusal } from '../kernel/refusal.ts';
import * as sql from './wallets.sql.ts';

/** How long the counts of wallets are used. Wallets that this instance creates are counted at once. */
const MAX_AGE_MS = 60_000;

/** Chooses the node of each new wallet: the active node with the fewest wallets, or the first of several. */
export class Placement {
  readonly #database: Pick<Database, 'all'>;
  #counts = new Map<string, number>();
  #countedAtMs = Number.NEGATIVE_INFINITY;

  constructor(database: Pick<Database, 'all'>) {
    this.#database = database;
  }

  /** @throws Refusal `not_supported` if all nodes are draining */
  async choose(): Promise<string> {
    // Counting takes long with millions of wallets.
    if (performance.now() - this.#countedAtMs >= MAX_AGE_MS) await this.#count();
    let chosen: { id: string; n: number } | undefined;
    for (const [id, n] of this.#counts) if (!chosen || n < chosen.n) chosen = { id, n };
    if (!chosen) throw new Refusal('not_supported', 'All Lightning nodes of this service are draining: they get no new wallets.');
    this.#counts.set(chosen.id, chosen.n + 1);
    return chosen.id;
  }

  /** Makes the next choice count again: the nodes have changed. */
  forget(): void {
    this.#countedAtMs = Number.NEGATIVE_INFINITY;
  }

  async #count(): Promise<void> {
    const rows = await this.#database.all(sql.countWalletsOfNodes);
    this.#counts = new Map(rows.map(({ id, n }) => [id, n]));
    this.#countedAtMs = performance.now();
  }
}
