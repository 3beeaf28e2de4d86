import type { Database, SqlReader, Tx } from '../../src/core/db/database.ts';
import { StatementFailed } from '../../src/core/db/errors.ts';
import { bookingMark } from '../../src/core/kernel/booking-mark.ts';

/** How the database of a running service fails. Tests change it at any time. */
export interface DatabaseFaults {
  /** While true, every transaction fails, as on a full disk. Reads continue. */
  diskIsFull: boolean;
  /**
   * Loses the connection before each statement for which it returns true. A commit has the name `COMMIT`, and a wait for earlier commits the name
   * `ensureDurable`.
   */
  connectionFailsAt: ((statementName: string) => boolean) | undefined;
  /** Rejects each write of a transaction for which it returns true, as the database would. */
  writeFailsAt: ((statementName: string) => boolean) | undefined;
  /** Delays each read of several rows in a transaction for which it returns a promise, such as one of guards, until that resolves. */
  delays: ((statementName: string) => Promise<void> | undefined) | undefined;
  /** Delays the result of each read of one row for which it returns a promise until that resolves, so that the row may be outdated. */
  delaysAfter: ((statementName: string) => Promise<void> | undefined) | undefined;
  /** Called and waited for before each transaction, so that something else can be committed right before it. */
  beforeTransaction: (() => Promise<void> | undefined) | undefined;
  /** While it is an array, the service appends the name of every statement that it runs. */
  statements: string[] | undefined;
  /** The same for the statements that requests run themselves: without those of background jobs and of batches of the ledger. */
  requestStatements: string[] | undefined;
  /** While it is an array, the service appends the names of the writes of each transaction that a request has committed. */
  requestWrites: string[] | undefined;
}

export function noFaults(): DatabaseFaults {
  return {
    diskIsFull: false,
    connectionFailsAt: undefined,
    writeFailsAt: undefined,
    delays: undefined,
    delaysAfter: undefined,
    beforeTransaction: undefined,
    statements: undefined,
    requestStatements: undefined,
    requestWrites: undefined,
  };
}

/** Returns a database that fails as `faults` states at that moment. */
export function withFaults(database: Database, faults: DatabaseFaults): Database {
  function checkConnection(name: string): void {
    if (faults.connectionFailsAt?.(name)) throw new StatementFailed(`${name}: Connection terminated unexpectedly`, 'connection');
  }
  function read(name: string): void {
    faults.statements?.push(name);
    if (bookingMark()) faults.requestStatements?.push(name);
    checkConnection(name);
  }
  function write(name: string): void {
    if (faults.writeFailsAt?.(name)) throw diskFull();
    read(name);
  }
  const reads = (on: SqlReader): SqlReader => ({
    async all(statement, ...parameters) {
      read(statement.name);
      return on.all(statement, ...parameters);
    },
    async first(statement, ...parameters) {
      read(statement.name);
      const row = await on.first(statement, ...parameters);
      await faults.delaysAfter?.(statement.name);
      return row;
    },
  });
  const inTransaction = (tx: Tx, writes: string[]): Tx => ({
    ...tx,
    ...reads(tx),
    async all(statement, ...parameters) {
      const delay = faults.delays?.(statement.name);
      if (delay) await delay;
      return reads(tx).all(statement, ...parameters);
    },
    async run(statement, ...parameters) {
      write(statement.name);
      writes.push(statement.name);
      return tx.run(statement, ...parameters);
    },
    async send(statement, ...parameters) {
      write(statement.name);
      writes.push(statement.name);
      return tx.send(statement, ...parameters);
    },
  });
  return {
    ...database,
    ...reads(database),
    async ensureDurable() {
      checkConnection('ensureDurable');
      await database.ensureDurable();
    },
    async transaction(work) {
      if (faults.diskIsFull) throw diskFull();
      await faults.beforeTransaction?.();
      const writes: string[] = [];
      const result = await database.transaction(async (tx) => {
        const done = await work(inTransaction(tx, writes));
        checkConnection('COMMIT');
        return done;
      });
      if (bookingMark()) faults.requestWrites?.push(...writes);
      return result;
    },
  };
}

function diskFull(): StatementFailed {
  return new StatementFailed('database or disk is full', '13');
}
