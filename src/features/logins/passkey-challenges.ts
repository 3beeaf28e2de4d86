import { hash, randomBytes } from 'node:crypto';
import type { Key } from '../../core/accounts/accounts.ts';
import type { Database, Tx } from '../../core/db/database.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import * as sql from './passkeys.sql.ts';

/** How long a challenge can be used. */
export const CHALLENGE_SECONDS = 300;
const MAX_OPEN_LOGINS = 10_000;
const DELETED_AT_ONCE = 100;

/** The challenges that authenticators sign. Each can be used once. */
export interface PasskeyChallenges {
  /** Creates a challenge to log in, in base64url. @throws Refusal `rate_limited` if too many are open */
  createForLogin(): Promise<string>;
  /** Creates a challenge to add a passkey, which replaces an earlier one of the account. */
  createForAccount(tx: Tx, by: Key): Promise<string>;
  /** Uses up a challenge: without `by`, one to log in. Returns false if it is unknown, used or expired, or of another owner. */
  take(challenge: string, by?: Key): Promise<boolean>;
}

export function createPasskeyChallenges(database: Database, clock: Clock): PasskeyChallenges {
  function newChallenge() {
    const challenge = randomBytes(32).toString('base64url');
    const now = unixSeconds(clock);
    return { challenge, times: [now, now + CHALLENGE_SECONDS] };
  }

  async function deleteExpired(tx: Tx): Promise<void> {
    await tx.run(sql.deleteExpired, unixSeconds(clock), DELETED_AT_ONCE);
  }

  return {
    async createForLogin() {
      const { challenge, times } = newChallenge();
      await database.transaction(async (tx) => {
        await deleteExpired(tx);
        if ((await tx.run(sql.insertLoginChallenge, hashOf(challenge), ...times, MAX_OPEN_LOGINS)) === 0)
          throw new Refusal('rate_limited', 'Too many people log in right now. Try again in a minute.');
      });
      return challenge;
    },
    async createForAccount(tx, by) {
      const { challenge, times } = newChallenge();
      await deleteExpired(tx);
      await tx.run(sql.deleteChallengesOf, by.accountId);
      await tx.run(sql.insertAddChallenge, hashOf(challenge), by.accountId, by.id, ...times);
      return challenge;
    },
    async take(challenge, by) {
      const owner = [by?.accountId ?? '', by?.id ?? ''];
      const taken = await database.transaction((tx) => tx.run(sql.takeChallenge, hashOf(challenge), ...owner, unixSeconds(clock)));
      return taken === 1;
    },
  };
}

function hashOf(challenge: string): Uint8Array {
  return hash('sha256', challenge, 'buffer');
}
