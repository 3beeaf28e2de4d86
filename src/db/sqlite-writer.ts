import { SqliteConnection } from './sqlite-connection.ts';

/**
 * The connection that writes. Between its transactions it reads as well: SQLite drops a connection's page cache whenever another connection
 * has committed, so a connection that only reads finds it empty after every commit. Reading through this one saves a quarter of an invoice
 * payment.
 */
export class SqliteWriter extends SqliteConnection {
  /** Whether the open transaction is that of this turn's reads. */
  #isReading = false;

  constructor(path: string) {
    super(path, false);
  }

  /** Whether it may read now: it would see what an open write transaction has not committed. */
  get mayRead(): boolean {
    return this.#isReading || !this.inTransaction;
  }

  /** Begins a read transaction that all reads of this turn of the event loop share, unless there is one. */
  beginReads(): void {
    if (this.#isReading) return;
    this.exec('BEGIN');
    this.#isReading = true;
    setImmediate(() => this.endReads());
  }

  /** Comes before every write transaction. */
  endReads(): void {
    if (!this.#isReading) return;
    this.#isReading = false;
    if (this.isOpen) this.exec('COMMIT');
  }
}
