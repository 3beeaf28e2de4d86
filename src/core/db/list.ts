import { isIdOf, isPayLinkId, isWalletId } from '../kernel/ids.ts';
import { type List, pageOf } from '../kernel/list.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { Row, SqlParameter, SqlReader } from './database.ts';
import { type Statement, statement } from './statement.ts';

/** The statements of a list that has the order of its items' ids. */
export interface ListStatements<R extends Row> {
  readonly asc: Statement<R>;
  readonly desc: Statement<R>;
  readonly count: Statement<{ n: number }>;
}

export interface ListText {
  /** Columns and tables: `SELECT … FROM wallet w`. Its own parameters follow those of the list: see {@link firstOwnParameter}. */
  readonly select: string;
  /** The table whose rows are counted, with the name that the condition uses: `wallet w`. */
  readonly table: string;
  /** The condition, with the first parameters. */
  readonly where?: string;
  /** The number of parameters of the condition. */
  readonly filters?: number;
  /** The column that orders the list. */
  readonly id?: string;
}

/** Returns the number of the first parameter of `select` in a list whose condition has `filters` parameters. */
export function firstOwnParameter(filters: number): number {
  return filters + 4;
}

/** Defines the statements of a list. The index of the ordering column after the columns of the condition makes each page cost the same. */
export function listStatements<R extends Row>(
  name: string,
  { select, table, where = 'TRUE', filters = 0, id = 'id' }: ListText,
): ListStatements<R> {
  const range = `LIMIT $${filters + 2} OFFSET $${filters + 3}`;
  const ordered = (comparison: string, direction: string) =>
    `${select} WHERE ${where} AND ${id} ${comparison} $${filters + 1} ORDER BY ${id} ${direction} ${range}`;
  return {
    asc: statement(`${name}_asc`, ordered('>', 'ASC')),
    desc: statement(`${name}_desc`, ordered('<', 'DESC')),
    count: statement(
      `${name}_count`,
      `SELECT count(*) AS n FROM (SELECT 1 AS one FROM ${table} WHERE ${where} LIMIT $${filters + 1}) AS listed`,
    ),
  };
}

export interface OpenedList<R extends Row> {
  readonly statements: ListStatements<R>;
  /** The parameters of the condition. */
  readonly filters?: readonly SqlParameter[];
  /** The parameters of `select`. */
  readonly own?: readonly SqlParameter[];
  /** The prefix of the items' ids, without `_`. */
  readonly prefix: string;
}

/** Sorts after every id. */
const AFTER_ALL = '~';

/** Returns a list of the rows that a condition selects. */
export function openList<R extends Row & { id: string }>(
  queries: SqlReader,
  { statements, filters = [], own = [], prefix }: OpenedList<R>,
): List<R> {
  return {
    async readPage({ limit, order, after, offset = 0 }) {
      if (after !== undefined) requireCursor(after, prefix);
      const cursor = after ?? (order === 'asc' ? '' : AFTER_ALL);
      const rows = await queries.all(statements[order], ...filters, cursor, limit + 1, offset, ...own);
      return pageOf(rows, limit, ({ id }) => id);
    },
    async count(max) {
      return (await queries.first(statements.count, ...filters, max))?.n ?? 0;
    },
  };
}

/** @throws Refusal unless the text has the form of an id with the prefix */
export function requireCursor(after: string, prefix: string): void {
  const hasForm = prefix === 'wal' ? isWalletId(after) : prefix === 'lnurlp' ? isPayLinkId(after) : isIdOf(prefix, after);
  if (!hasForm) throw new Refusal('validation_failed', `\`after\` must be the id of an item of this list, \`${prefix}_…\`.`);
}
