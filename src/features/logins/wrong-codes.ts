import type { Database } from '../../core/db/database.ts';
import { writeRows } from '../../core/db/row-write.ts';
import { eventRow } from '../../core/journal/events.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import * as sql from './logins.sql.ts';

/** A guesser who knows the password has 30 chances in a million each day, because codes of three time steps are accepted. */
const MAX_WRONG_CODES = 10;
const PAUSE_SECONDS = 86_400;

/** Rejects a login without a code, when everything else is right. The client then asks for the code. */
export class MissingCode extends Refusal {
  constructor() {
    super('code_required');
  }
}

/** Rejects a code of an authenticator app that may be a guess. */
export class WrongCode extends Refusal {
  readonly accountId: string;

  constructor(accountId: string) {
    super('code_required', '`code` is wrong, or was used before. Wait for the next code of the app.');
    this.accountId = accountId;
  }
}

/** Runs work, and counts a wrong code after its transaction was rolled back. */
export async function withCount<T>(database: Database, clock: Clock, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof WrongCode) await countWrongCode(database, clock, error.accountId);
    throw error;
  }
}

/** The tenth wrong code pauses the codes of the app, and the account gets the event `codes_paused`. */
function countWrongCode(database: Database, clock: Clock, accountId: string): Promise<void> {
  return database.transaction(async (tx) => {
    const now = unixSeconds(clock);
    const counted = await tx.first(sql.countWrongCode, accountId, now, MAX_WRONG_CODES, now + PAUSE_SECONDS);
    if (counted?.wrong_codes !== 0) return;
    const data = { codes: { paused_until: now + PAUSE_SECONDS } };
    await writeRows(tx, [eventRow(clock, { type: 'codes_paused', owner: { accountId }, subject: accountId, data })]);
  });
}
