import { SqliteConnection } from './sqlite-connection.ts';

/**
 * A connection whose reads share one read transaction per turn of the event loop: a read on its own takes and gives back SQLite's
 * lock, which cost more than most reads do. Whoever commits calls {@link endTurn} first, so that no read sees a state older than a
 * commit that was answered.
 */
export class SqliteReads extends SqliteConnection {
  constructor(path: string) {
    super(path, true);
  }

  /** Ends the turn's transaction, if there is one; the next read begins another. */
  endTurn(): void {
    if (this.isOpen && this.inTransaction) this.exec('COMMIT');
  }

  protected override beforeStatement(): void {
    if (this.inTransaction) return;
    this.exec('BEGIN');
    // It must not outlive the turn: while it is open, no checkpoint gets past what it sees.
    setImmediate(() => this.endTurn());
  }
}
