import { eventNumber } from '../../../devnet/event-position.ts';
import { storePosition } from '../../../src/core/connection/nodes.sql.ts';
import type { Database, SqlParameter, Tx } from '../../../src/core/db/database.ts';
import { writeFact } from '../../../src/core/db/facts.sql.ts';
import type { Statement } from '../../../src/core/db/statement.ts';
import type { CrashPoints } from './crash-points.ts';

/**
 * Periodic jobs that are independent of requests, recognized by a transaction's first statement. After a kill between the cancellation of an invoice and
 * the posting of its payment, reconciliation records the closed invoice.
 */
const BY_THE_CLOCK = /^(lease|reconcile|alert|proof|key_use|instance|flows|closed_invoice)_|_forget/;
/** Rows that are sent to PostgreSQL with COMMIT have other names. */
const ENDS_A_PAYMENT = /^payment_(succeed|fail)(_one|_many)?$/;

/** A database with a point before and after every statement of a transaction and its COMMIT. */
export function crashing(database: Database, points: CrashPoints, paymentEnded: () => void): Database {
  async function transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    let crossing = new Crossing(points);
    try {
      const result = await database.transaction(async (tx) => {
        crossing.over();
        crossing = new Crossing(points);
        const { around } = crossing;
        const worked = await work({
          dialect: tx.dialect,
          all: (statement, ...parameters) => around(statement, parameters, () => tx.all(statement, ...parameters)),
          first: (statement, ...parameters) => around(statement, parameters, () => tx.first(statement, ...parameters)),
          run: (statement, ...parameters) => around(statement, parameters, () => tx.run(statement, ...parameters)),
          send: (statement, ...parameters) => around(statement, parameters, () => tx.send(statement, ...parameters)),
        });
        crossing.pass('COMMIT');
        return worked;
      });
      crossing.pass('committed');
      if (crossing.keptPosition !== undefined) points.keepPosition(crossing.keptPosition);
      if (crossing.endsPayment) paymentEnded();
      return result;
    } finally {
      crossing.over();
    }
  }
  return { ...database, transaction };
}

/** A running transaction. Its first statement determines its name, so that transactions of periodic jobs are not counted. */
class Crossing {
  readonly #points: CrashPoints;
  #name: string | undefined;
  #started = false;
  keptPosition: number | undefined;
  endsPayment = false;

  constructor(points: CrashPoints) {
    this.#points = points;
  }

  readonly around = async <T>(statement: Statement, parameters: SqlParameter[], run: () => Promise<T>): Promise<T> => {
    // Without a position, a restored node resets it.
    const isPosition = statement === storePosition && parameters[1] !== null;
    if (isPosition) this.keptPosition = eventNumber(String(parameters[1]));
    if (!this.#started) this.#begin(statement, isPosition);
    this.endsPayment ||= ENDS_A_PAYMENT.test(statement.name);
    const result = await run();
    this.pass(statement.name);
    return result;
  };

  /** After BEGIN and before the first statement. Nothing is written yet. */
  #begin(first: Statement, isPosition: boolean): void {
    this.#started = true;
    // Reconciliation stores the other facts.
    if (BY_THE_CLOCK.test(first.name) || first === writeFact) return;
    // Positions are written a few times a second, independently of other writes.
    this.#name = this.#points.beginTransaction(isPosition ? 'position' : 'tx');
    this.pass('BEGIN');
  }

  pass(step: string): void {
    if (this.#name !== undefined) this.#points.pass(`${this.#name} ${step}`);
  }

  over(): void {
    if (this.#name !== undefined) this.#points.endTransaction();
    this.#name = undefined;
  }
}
