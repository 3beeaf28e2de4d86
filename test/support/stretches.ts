import { ServerResponse } from 'node:http';
import { SqliteConnection } from '../../src/core/db/sqlite-connection.ts';

/** What is counted. Its limits are those of `PER_TURN`. */
export const UNITS = ['rows', 'written', 'lines', 'indexEntries', 'bytes', 'signatures'] as const;
export type Unit = (typeof UNITS)[number];

/** The work of one cycle of the event loop, which all other requests wait for. */
export interface Stretch {
  readonly units: Readonly<Record<Unit, number>>;
  /** The statements with the most rows, to find the cause: `event_page_asc_of_all 1000`. For each unit, of the stretch with most of it. */
  readonly causes: Readonly<Record<Unit, string>>;
  /** Milliseconds of the main thread; for reports, not for assertions. */
  readonly ms: number;
}

interface Counted {
  readonly units: Record<Unit, number>;
  readonly statements: Map<string, number>;
}

function nothing(): Counted {
  return { units: { rows: 0, written: 0, lines: 0, indexEntries: 0, bytes: 0, signatures: 0 }, statements: new Map() };
}

/** Statements that return positions from an index, and read no row. */
const INDEX_ONLY = /^wallet_transaction_of_amount_/;
/** The names of statements of tests (app.ts). */
const OF_TESTS = /^test_/;
const INSERT_TRANSFER = /^INSERT INTO ledger_transfer\b/;

/**
 * Counts the work between two cycles of the event loop, in this process and on SQLite: rows that are returned and written, transfers that are inserted,
 * entries of an index that an OFFSET skips or `count(*)` counts, and bytes of responses. Tests count signatures with `add`.
 */
export function countStretches() {
  const { all, first, run } = SqliteConnection.prototype;
  const { write, end } = ServerResponse.prototype;
  let current = nothing();
  let beganAtMs = performance.now();
  let largest = { ...nothing(), causes: {} as Record<Unit, string>, ms: 0 };
  let isStopped = false;

  function add(unit: Unit, count: number, statement?: string): void {
    current.units[unit] += count;
    if (statement) current.statements.set(statement, (current.statements.get(statement) ?? 0) + count);
  }

  function countRows({ name, sqlite }: Parameters<typeof all>[0], parameters: readonly unknown[], rows: readonly object[]): void {
    if (OF_TESTS.test(name)) return;
    add(INDEX_ONLY.test(name) ? 'indexEntries' : 'rows', rows.length, name);
    const skipped = /OFFSET \$(\d+)/.exec(sqlite)?.[1];
    if (skipped) add('indexEntries', Number(parameters[Number(skipped) - 1] ?? 0), name);
    if (/count\(\*\)/i.test(sqlite)) for (const row of rows) if ('n' in row) add('indexEntries', Number(row.n), name);
  }

  SqliteConnection.prototype.all = async function <R>(...given: Parameters<typeof all>) {
    const rows = (await all.apply(this, given)) as R[];
    const [statement, ...parameters] = given;
    countRows(statement, parameters, rows as object[]);
    return rows;
  };
  SqliteConnection.prototype.first = async function <R>(...given: Parameters<typeof first>) {
    const row = (await first.apply(this, given)) as R | undefined;
    const [statement, ...parameters] = given;
    countRows(statement, parameters, row ? [row as object] : []);
    return row;
  };
  SqliteConnection.prototype.run = async function (...given: Parameters<typeof run>) {
    const changes = await run.apply(this, given);
    const [{ name, sqlite }] = given;
    add('written', changes, name);
    if (INSERT_TRANSFER.test(sqlite)) add('lines', changes);
    return changes;
  };
  const counted = <T extends (this: ServerResponse, ...given: never[]) => unknown>(method: T) =>
    function (this: ServerResponse, ...given: never[]) {
      const [chunk] = given as unknown[];
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) add('bytes', Buffer.byteLength(chunk));
      return method.apply(this, given);
    } as unknown as T;
  ServerResponse.prototype.write = counted(write as never) as typeof write;
  ServerResponse.prototype.end = counted(end as never) as typeof end;

  function causeOf({ statements }: Counted): string {
    const most = [...statements].sort(([, a], [, b]) => b - a).slice(0, 4);
    return most.map(([name, count]) => `${name} ${count}`).join(', ');
  }

  function endStretch(): void {
    const now = performance.now();
    for (const unit of UNITS) {
      if (current.units[unit] <= largest.units[unit]) continue;
      largest.units[unit] = current.units[unit];
      largest.causes[unit] = causeOf(current);
    }
    largest.ms = Math.max(largest.ms, now - beganAtMs);
    [current, beganAtMs] = [nothing(), now];
  }

  function nextStretch(): void {
    endStretch();
    if (!isStopped) setImmediate(nextStretch);
  }
  setImmediate(nextStretch);

  return {
    add,
    /** Returns the most of each kind of work that one stretch had while `work` ran. */
    async largestDuring(work: () => Promise<unknown>): Promise<Stretch> {
      endStretch();
      largest = { ...nothing(), causes: {} as Record<Unit, string>, ms: 0 };
      await work();
      endStretch();
      return largest;
    },
    stop(): void {
      isStopped = true;
      Object.assign(SqliteConnection.prototype, { all, first, run });
      Object.assign(ServerResponse.prototype, { write, end });
    },
  };
}
