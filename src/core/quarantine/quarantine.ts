import type { Database, SqlReader, Tx } from '../db/database.ts';
import { deleteFactIf, readFact, writeFact } from '../db/facts.sql.ts';
import { statement } from '../db/statement.ts';
import { type Clock, pause, unixSeconds } from '../kernel/clock.ts';
import { Refusal } from '../kernel/refusal.ts';

/** A restore of this database. Unix seconds. */
export interface Restored {
  /** What was committed later is missing. 0: everything was lost, and the ledger begins empty. */
  readonly backupCreatedAt: number;
  /** null in a backup: a file that was unpacked without `satchel restore` is in quarantine, too. */
  readonly restoredAt: number | null;
}

/** A restore whose quarantine has begun. */
export interface Quarantined extends Restored {
  /** The position of the last transfer that the backup has. */
  readonly lastPosition: number;
}

export interface AcceptedRestore extends Quarantined {
  readonly acceptedAt: number;
  readonly reason: string;
  readonly report?: object;
}

const FACT = 'restored';
/** The last restore that was accepted. */
const ACCEPTED = 'restored_accepted';

/** How often an instance checks whether the quarantine was ended. */
const CHECK_MS = 2000;

/**
 * Payments that were pending in the backup have ended since, or the node has them. They are looked up, and never sent again: the customer may
 * have seen a failure and paid another way.
 */
const keepFromSending = statement(
  'quarantine_keep_from_sending',
  "UPDATE payment SET at_node = 1, unclear_since_ms = $1 WHERE state = 'pending' AND invoice_id IS NULL",
);

const findLastPosition = statement<{ position: number }>(
  'quarantine_last_position',
  'SELECT CAST(coalesce(max(position), 0) AS BIGINT) AS position FROM ledger_transfer',
);

/** The name of the fact about how far the records of a node have been read back. */
export function readBackFact(nodeId: string): string {
  return `${READ_BACK}${nodeId}`;
}

const READ_BACK = 'read_back ';

const forgetReadBacks = statement('quarantine_forget_read_backs', 'DELETE FROM service_fact WHERE name LIKE $1');

/** Marks a database that was restored from a backup, before any service starts on it. The records of its nodes are read back from then on. */
export async function beginQuarantine(tx: Tx, restored: Restored): Promise<void> {
  const lastPosition = (await tx.first(findLastPosition))?.position ?? 0;
  await tx.run(writeFact, FACT, JSON.stringify({ ...restored, lastPosition } satisfies Quarantined));
  await tx.run(forgetReadBacks, `${READ_BACK}%`);
  // The lost service may have sent requests until now.
  await tx.run(keepFromSending, 1000 * (restored.restoredAt ?? restored.backupCreatedAt));
}

/** Returns the last restore that was accepted, with the report about it. */
export async function readLastAccepted(reader: SqlReader): Promise<AcceptedRestore | undefined> {
  const fact = await reader.first(readFact, ACCEPTED);
  return fact && (JSON.parse(fact.value) as AcceptedRestore);
}

/** Returns when the database was last restored, in Unix seconds, if that restore was accepted; otherwise 0. */
export async function readLastRestore(reader: SqlReader): Promise<number> {
  const accepted = await readLastAccepted(reader);
  return accepted ? (accepted.restoredAt ?? accepted.backupCreatedAt) : 0;
}

/**
 * Returns the time of the last restore, in Unix seconds; 0 if there was none. The database may have forgotten what was requested before. Without
 * `satchel restore` the time is not known: then it is now, or that of the acceptance.
 */
export async function readForgottenUntil(reader: SqlReader, clock: Clock): Promise<number> {
  const [waiting, accepted] = [await readQuarantine(reader), await readLastAccepted(reader)];
  if (waiting) return waiting.restoredAt ?? unixSeconds(clock);
  return accepted ? (accepted.restoredAt ?? accepted.acceptedAt) : 0;
}

/** Returns the restore whose quarantine has not ended. */
export async function readQuarantine(reader: SqlReader): Promise<Quarantined | undefined> {
  const fact = await reader.first(readFact, FACT);
  return fact && (JSON.parse(fact.value) as Quarantined);
}

/**
 * Begins the quarantine of a database that has lost what was committed after a time, as after a failover to a server that had not got it. Keeps
 * one that goes back as far.
 */
export async function beginAfterLoss(tx: Tx, loss: Restored): Promise<void> {
  const begun = await readQuarantine(tx);
  if (begun === undefined || begun.backupCreatedAt > loss.backupCreatedAt) await beginQuarantine(tx, loss);
}

/** Ends the quarantine. The reason is kept, and the report about the restore. @returns whether there was one */
export async function endQuarantine(database: Database, reason: string, clock: Clock, report?: object): Promise<boolean> {
  return database.transaction(async (tx) => {
    const fact = await tx.first(readFact, FACT);
    if (!fact || (await tx.run(deleteFactIf, FACT, fact.value)) === 0) return false;
    const accepted = { ...(JSON.parse(fact.value) as Restored), acceptedAt: unixSeconds(clock), reason, report };
    await tx.run(writeFact, ACCEPTED, JSON.stringify(accepted));
    return true;
  });
}

/**
 * A database that was restored from a backup has forgotten payments, so a wallet may have less than its balance. Until an operator accepts the
 * restore, the service receives and answers reads, and sends no money. A quarantine begins while no service runs on the database, except when
 * an instance finds that the database has lost commits. The other instances must then start again, because they remember more than the database.
 */
export class Quarantine {
  readonly #database: Database;
  /** Whether the database was found without a quarantine. */
  #isOver = false;
  #restored: Quarantined | undefined;
  #checkedAtMs = Number.NEGATIVE_INFINITY;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Resolves when a quarantine begins. @returns false when the signal aborts before */
  async untilBegun(signal: AbortSignal): Promise<boolean> {
    let hadNone = false;
    do {
      try {
        const hasOne = (await this.read()) !== undefined;
        if (hasOne && hadNone) return true;
        hadNone = !hasOne;
      } catch {
        // The database does not answer.
      }
    } while (!(await pause(CHECK_MS, signal)));
    return false;
  }

  /** The restore that waits for an operator, if there is one. */
  async read(): Promise<Quarantined | undefined> {
    // The only service on a SQLite file finds no loss.
    if (this.#isOver && this.#database.dialect === 'sqlite') return undefined;
    const nowMs = performance.now();
    if (nowMs - this.#checkedAtMs >= CHECK_MS) {
      this.#restored = await readQuarantine(this.#database);
      this.#checkedAtMs = nowMs;
      this.#isOver = this.#restored === undefined;
    }
    return this.#restored;
  }

  /** @throws Refusal `restored` */
  async requireNone(): Promise<void> {
    if (await this.read()) throw new Refusal('restored');
  }
}
