import { idOf, type Line, type ListQuery, linesOf, typeOf } from './list.ts';
import { pieceTurn } from './places.ts';
import type { ListScope, Pointed } from './scope.ts';
import type { LineSearch } from './search.ts';

/** A part of a list: a page, or the lines after a cursor. */
export interface Cut {
  readonly limit: number;
  /** 0 if `after` is given. */
  readonly offset: number;
  /** `wtx_…` */
  readonly after: string | undefined;
}

export interface Listed<T> {
  readonly items: T[];
  /** The number of lines, up to {@link MAX_COUNT}; undefined with a cursor. */
  readonly total: number | undefined;
  /** Whether there may be more lines than were counted. */
  readonly capped: boolean;
  /** The cursor of the next part; undefined at the end. */
  readonly next: string | undefined;
}

/** The limit of totals and of offsets, because counting and skipping read every line. */
export const MAX_COUNT = 10_000;

/**
 * Reads a part of a list, from its newest line or from the cursor. One request reads a limited number of places. If it reaches the limit, a
 * cursor continues from there.
 */
export async function cutOut(
  scope: ListScope,
  query: ListQuery,
  after: Pointed | undefined,
  cut: Cut,
  search?: LineSearch,
): Promise<Listed<Line>> {
  const wanted = cut.offset + cut.limit;
  const items: Line[] = [];
  let [count, lookedAt, capped] = [0, 0, false];
  let last: Line | undefined;
  for await (const piece of linesOf(scope, query, after, Math.min(wanted + 1, MAX_COUNT))) {
    if (lookedAt > 0) await pieceTurn();
    const matches = search && (await search(piece.lines));
    for (const line of piece.lines) {
      if (after && items.length === cut.limit) return { items, total: undefined, capped: false, next: last && idOf(last) };
      last = line;
      if (query.type !== undefined && typeOf(line) !== query.type) continue;
      if (matches && !matches(line)) continue;
      if (count === MAX_COUNT) return { items, total: count, capped: true, next: undefined };
      if (count >= cut.offset && items.length < cut.limit) items.push(line);
      count += 1;
    }
    lookedAt += piece.lookedAt;
    capped = lookedAt >= scope.maxLookedAt;
    if (capped) break;
  }
  return { items, total: after ? undefined : count, capped, next: after && capped && last ? idOf(last) : undefined };
}
