import { Refusal } from './refusal.ts';

/** The part of a list that a caller requests: at most `limit` items after an item, or after a number of items. */
export interface ListPart {
  readonly limit: number;
  readonly order: 'asc' | 'desc';
  /** The id of the item before the part; undefined for the beginning of the list. */
  readonly after?: string | undefined;
  /** The number of items before the part, for lists that have page numbers. */
  readonly offset?: number;
}

export interface ListPage<T> {
  readonly items: readonly T[];
  /** The id after which the list continues; undefined at its end. */
  readonly next: string | undefined;
}

/** A list that is read page by page. Reading a page after an id costs the same at any depth. */
export interface List<T> {
  /** @throws Refusal `validation_failed` if `after` is not the id of an item of this kind */
  readPage(part: ListPart): Promise<ListPage<T>>;
  /** Returns the number of items; `max` if there are more. A list that may end its count early reads in the order of the requested page. */
  count(max: number, order?: ListPart['order']): Promise<number | Counted>;
}

/** The count of a list that need not end at `max`: one that is known without counting, or that ended early because too much was read. */
export interface Counted {
  readonly total: number;
  /** Whether there may be more items. */
  readonly isCapped: boolean;
}

/** Returns a list of items in memory, whose order `desc` is the one given. */
export function listInMemory<T>(items: readonly T[], idOf: (item: T) => string): List<T> {
  return {
    async readPage({ limit, order, after, offset = 0 }) {
      const ordered = order === 'asc' ? items.toReversed() : items;
      const start = after === undefined ? offset : ordered.findIndex((item) => idOf(item) === after) + 1;
      if (after !== undefined && start === 0) throw new Refusal('validation_failed', '`after` must be the id of an item of this list.');
      return pageOf(ordered.slice(start, start + limit + 1), limit, idOf);
    },
    count: async () => items.length,
  };
}

/** Makes a page of items that were read with one more than the limit. */
export function pageOf<T>(items: readonly T[], limit: number, idOf: (item: T) => string): ListPage<T> {
  const page = items.slice(0, limit);
  const last = page.at(-1);
  return { items: page, next: items.length > limit && last !== undefined ? idOf(last) : undefined };
}

/** Returns a list whose items are converted page by page. */
export function mapList<T, U>(list: List<T>, convert: (items: readonly T[]) => readonly U[] | Promise<readonly U[]>): List<U> {
  return {
    async readPage(part) {
      const { items, next } = await list.readPage(part);
      return { items: await convert(items), next };
    },
    count: (max, order) => list.count(max, order),
  };
}
