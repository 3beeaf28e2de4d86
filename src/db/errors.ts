/** The connection broke while COMMIT was under way: whether it was committed is unknown. Never retried blindly. */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown';

  constructor() {
    super('the connection to the database was lost during a commit');
  }
}

/** The database was written by a newer Satchel than this one. */
export class DatabaseNewer extends Error {
  override readonly name = 'DatabaseNewer';
}

/** Another process is using the database file. */
export class DatabaseLocked extends Error {
  override readonly name = 'DatabaseLocked';
}

/** A database transaction was used after its callback had returned: somewhere an `await` is missing. */
export class TransactionOver extends Error {
  override readonly name = 'TransactionOver';

  constructor() {
    super('this database transaction is over; an await is missing somewhere');
  }
}
