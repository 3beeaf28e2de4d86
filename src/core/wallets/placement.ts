import type { SqlReader } from '../db/database.ts';
import { Refusal } from '../kernel/refusal.ts';
import { TtlCache } from '../kernel/ttl-cache.ts';
import * as sql from './wallets.sql.ts';

/** How long the counts of wallets are used. Wallets that this instance creates are counted at once. */
const MAX_AGE_MS = 60_000;
/** How long a node that did not answer is not called again. Each call may take seconds. */
const AWAY_MS = 10_000;

/**
 * Chooses the node of each new wallet: of the active nodes that answer, the one with the fewest wallets, or the first of several. If none
 * answers, it chooses among all active ones: the wallet can be used when its node is back.
 */
export class Placement {
  readonly #database: SqlReader;
  readonly #isAvailable: (nodeId: string) => Promise<boolean>;
  readonly #counts = new TtlCache<Map<string, number>>({ maxAgeMs: MAX_AGE_MS, maxSize: 1 });
  /** Not a cache, whose entries expire that long after the call began: a call can take longer than `AWAY_MS`. */
  readonly #awayUntilMs = new Map<string, number>();

  constructor(database: SqlReader, isAvailable: (nodeId: string) => Promise<boolean>) {
    this.#database = database;
    this.#isAvailable = isAvailable;
  }

  /** @throws Refusal `not_supported` if all nodes are draining */
  async choose(): Promise<string> {
    const counts = await this.#counts.get('', () => this.#count());
    if (!counts) throw new Refusal('not_supported', 'All Lightning nodes of this service are draining: they get no new wallets.');
    // Sorting keeps the order of nodes with equal counts.
    const candidates = [...counts].toSorted(([, a], [, b]) => a - b).map(([id]) => id);
    const chosen = (await this.#firstAvailable(candidates)) ?? (candidates[0] as string);
    counts.set(chosen, (counts.get(chosen) ?? 0) + 1);
    return chosen;
  }

  /** Makes the next choice count again: the nodes have changed. */
  forget(): void {
    this.#counts.forget('');
  }

  async #firstAvailable(nodeIds: readonly string[]): Promise<string | undefined> {
    if (nodeIds.length === 1) return nodeIds[0];
    for (const id of nodeIds) {
      if ((this.#awayUntilMs.get(id) ?? 0) > performance.now()) continue;
      if (await this.#isAvailable(id)) return id;
      this.#awayUntilMs.set(id, performance.now() + AWAY_MS);
    }
    return undefined;
  }

  /** Counting takes long with millions of wallets. Returns undefined, which is not cached, while no node is active. */
  async #count(): Promise<Map<string, number> | undefined> {
    const rows = await this.#database.all(sql.countWalletsOfNodes);
    return rows.length === 0 ? undefined : new Map(rows.map(({ id, n }) => [id, n]));
  }
}
