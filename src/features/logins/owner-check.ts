import { changeOwnAccount, type Key } from '../../core/accounts/accounts.ts';
import { findSessionById } from '../../core/accounts/sessions.ts';
import type { Database, Tx } from '../../core/db/database.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import * as sql from './logins.sql.ts';
import type { Passwords } from './passwords.ts';

/** A change to the ways to log in to an account. `email` is that of the account, or an empty text. */
export type OwnerWork<T> = (tx: Tx, email: string) => Promise<T>;

const FRESH_SECONDS = 600;

/** Protects changes to the ways to log in from a stolen session or key: their owner proves to be present. */
export type OwnerCheck = ReturnType<typeof createOwnerCheck>;

export function createOwnerCheck(database: Database, clock: Clock, passwords: Passwords) {
  /** Runs a transaction of a person who has sent the password of the account. @throws Refusal `forbidden`, `unauthorized` */
  async function withPassword<T>(by: Key, password: string, work: OwnerWork<T>): Promise<T> {
    const login = await database.first(sql.findLoginOfAccount, by.accountId);
    const stored = login?.password_hash ?? undefined;
    if (!(await passwords.verify(password, stored, { groups: [by.accountId], isKnown: true })) || stored === undefined)
      throw wrongPassword();
    return changeOwnAccount(database, by, async (tx) => {
      // The password may have been changed since it was read.
      if (!(await tx.first(sql.lockLogin, by.accountId, stored))) throw wrongPassword();
      return work(tx, login?.email ?? '');
    });
  }

  return {
    withPassword,

    /**
     * The same, or without a password the transaction of a session that has just logged in.
     * @throws Refusal `password_required`, `forbidden`, `unauthorized`
     */
    async withPasswordOrFreshLogin<T>(by: Key, password: string | undefined, work: OwnerWork<T>): Promise<T> {
      if (password !== undefined) return withPassword(by, password, work);
      return changeOwnAccount(database, by, async (tx) => {
        const session = by.isSession ? await findSessionById(tx, clock, by.accountId, by.id) : undefined;
        // A person can be deceived into signing the login of another browser with a wallet, so such a session proves less.
        const isProof = session !== undefined && session.method !== 'lnurl_auth';
        if (!isProof || session.created_at <= unixSeconds(clock) - FRESH_SECONDS) throw new Refusal('password_required');
        return work(tx, (await tx.first(sql.findLoginOfAccount, by.accountId))?.email ?? '');
      });
    },
  };
}

function wrongPassword(): Refusal {
  return new Refusal('forbidden', '`current_password` is wrong, or the account has no password.');
}
