import type { Database, Tx } from '../../src/core/db/database.ts';
import { CommitUnknown } from '../../src/core/db/errors.ts';
import { statement } from '../../src/core/db/statement.ts';

/**
 * The place of a failure: the nth statement or commit of all transactions since the faults were set, from 1.
 * A statement fails `before` it reaches the database, `after` it ran, or `by the database`, which rejects a statement in its place (from
 * then on PostgreSQL rejects the rest of the transaction). A commit is `refused` and nothing is written, or its response is lost,
 * as with a broken connection or, in SQLite, a failing disk: `written, unknown` or `not written, unknown`.
 */
export type Fault =
  | { readonly statement: number; readonly fails: 'before' | 'after' | 'by the database' }
  | { readonly commit: number; readonly fails: 'refused' | 'written, unknown' | 'not written, unknown' };

/** The error of a fault, unless the database throws one. */
export class InjectedFailure extends Error {
  override readonly name = 'InjectedFailure';
}

export interface FaultyDatabase extends Database {
  /** Replaces the faults and counts from 1 again. */
  failAt(...faults: Fault[]): void;
  /** Returns the number of faults that have happened. */
  happened(): number;
}

/** Breaks a CHECK of the schema, in both databases. */
const refusedByTheDatabase = statement(
  'test_refused',
  `INSERT INTO ledger_hold (id, account, amount_msat, state) VALUES ('injected failure', 1, 0, 'open')`,
);

/** Returns a database whose transactions fail where a test sets faults. */
export function faulty(database: Database): FaultyDatabase {
  let faults: readonly Fault[] = [];
  let [statements, commits, happened] = [0, 0, 0];

  async function around<T>(tx: Tx, run: () => Promise<T>): Promise<T> {
    statements += 1;
    const number = statements;
    const fault = faults.find((one) => 'statement' in one && one.statement === number);
    if (!fault) return run();
    happened += 1;
    if (fault.fails === 'by the database') await tx.run(refusedByTheDatabase);
    if (fault.fails === 'after') await run();
    throw new InjectedFailure(`statement ${number} failed (${fault.fails})`);
  }

  function failing(tx: Tx): Tx {
    return {
      dialect: tx.dialect,
      all: (query, ...parameters) => around(tx, () => tx.all(query, ...parameters)),
      first: (query, ...parameters) => around(tx, () => tx.first(query, ...parameters)),
      run: (query, ...parameters) => around(tx, () => tx.run(query, ...parameters)),
      send: (query, ...parameters) => around(tx, () => tx.send(query, ...parameters)),
    };
  }

  async function transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    let lost = false;
    const result = await database.transaction(async (tx) => {
      const worked = await work(failing(tx));
      commits += 1;
      const number = commits;
      const fault = faults.find((one) => 'commit' in one && one.commit === number);
      if (fault) happened += 1;
      if (fault?.fails === 'refused') throw new InjectedFailure(`commit ${number} was refused`);
      if (fault?.fails === 'not written, unknown') throw new CommitUnknown();
      lost = fault?.fails === 'written, unknown';
      return worked;
    });
    if (lost) throw new CommitUnknown();
    return result;
  }

  return {
    ...database,
    transaction,
    failAt(...next) {
      faults = next;
      [statements, commits, happened] = [0, 0, 0];
    },
    happened: () => happened,
  };
}

/** Returns whether an error is that of a fault, thrown here or by the database. */
export function isInjected(error: unknown): boolean {
  return error instanceof InjectedFailure || (error instanceof Error && /check constraint/i.test(error.message));
}
