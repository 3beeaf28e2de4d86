import type { SqlReader } from '../db/database.ts';
import { Refusal } from '../kernel/refusal.ts';
import * as sql from './wallets.sql.ts';

/** How long the counts of wallets are used. Wallets that this instance creates are counted at once. */
const MAX_AGE_MS = 60_000;
/** How long a node that did not answer is not called again. Each call may take seconds. */
const AWAY_MS = 10_000;

export type IsNodeAvailable = (nodeId: string) => Promise<boolean>;

/**
 * Chooses the node of each new wallet: of the active nodes that answer, the one with the fewest wallets, or the first of several. If none
 * answers, it chooses among all active ones: the wallet can be used when its node is back.
 */
export class Placement {
  readonly #database: SqlReader;
  readonly #isAvailable: IsNodeAvailable;
  readonly #awayUntilMs = new Map<string, number>();
  #counts = new Map<string, number>();
  #countedAtMs = Number.NEGATIVE_INFINITY;

  constructor(database: SqlReader, isAvailable: IsNodeAvailable) {
    this.#database = database;
    this.#isAvailable = isAvailable;
  }

  /** @throws Refusal `not_supported` if all nodes are draining */
  async choose(): Promise<string> {
    // Counting takes long with millions of wallets, but a node may have been activated.
    if (this.#counts.size === 0 || performance.now() - this.#countedAtMs >= MAX_AGE_MS) await this.#count();
    // Sorting keeps the order of nodes with equal counts.
    const candidates = [...this.#counts].toSorted(([, a], [, b]) => a - b).map(([id]) => id);
    const chosen = (await this.#firstAvailable(candidates)) ?? candidates[0];
    if (chosen === undefined)
      throw new Refusal('not_supported', 'All Lightning nodes of this service are draining: they get no new wallets.');
    this.#counts.set(chosen, (this.#counts.get(chosen) ?? 0) + 1);
    return chosen;
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
