import type { Dialect } from '../../../src/core/db/database.ts';

/** One operation's part of the matrix: its points in order, and the result of each kill on each database. */
export class Table {
  readonly #name: string;
  readonly #rows = new Map<string, Partial<Record<Dialect, string>>>();

  constructor(name: string, points: readonly string[]) {
    this.#name = name;
    for (const point of points) this.#rows.set(point, {});
  }

  set(point: string, dialect: Dialect, outcome: string): void {
    this.#rows.set(point, { ...this.#rows.get(point), [dialect]: outcome });
  }

  toString(): string {
    const line = (point: string, sqlite = '·', postgres = '·') => `  ${point.padEnd(36)} ${sqlite.padEnd(10)} ${postgres}`;
    const rows = [...this.#rows].map(([point, { sqlite, postgres }]) => line(point, sqlite, postgres));
    return [`${this.#name}, killed at`, line('', 'sqlite', 'postgres'), ...rows, ''].join('\n');
  }
}
