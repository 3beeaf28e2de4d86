import { type Key, keyGuard } from '../../core/accounts/accounts.ts';
import { lockAccount } from '../../core/accounts/keyring.sql.ts';
import * as sql from '../../core/accounts/logins.sql.ts';
import { findSessionById } from '../../core/accounts/sessions.sql.ts';
import type { Database, Tx } from '../../core/db/database.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { requireGuards } from '../../core/ledger/ledger.ts';
import type { Passwords } from './passwords.ts';

/** A change to the ways to log in to an account. `email` is that of the account, or an empty text. */
export type OwnerWork<T> = (tx: Tx, email: string) => Promise<T>;

/** Protects changes to the ways to log in from a stolen session or key: their owner proves to be present. */
export interface OwnerCheck {
  /** Runs a transaction of a person who has sent the password of the account. @throws Refusal `forbidden`, `unauthorized` */
  withPassword<T>(by: Key, password: string, work: OwnerWork<T>): Promise<T>;
  /**
   * The same, or without a password the transaction of a session that has just logged in.
   * @throws Refusal `password_required`, `forbidden`, `unauthorized`
   */
  withPasswordOrFreshLogin<T>(by: Key, password: string | undefined, work: OwnerWork<T>): Promise<T>;
}

const FRESH_SECONDS = 600;

export function createOwnerCheck(dependencies: { database: Database; clock: Clock; passwords: Passwords }): OwnerCheck {
  const { database, clock, passwords } = dependencies;

  async function withPassword<T>(by: Key, password: string, work: OwnerWork<T>): Promise<T> {
    const login = await database.first(sql.findLoginOfAccount, by.accountId);
    const stored = login?.password_hash ?? undefined;
    if (!(await passwords.verify(password, stored)) || stored === undefined) throw wrongPassword();
    return database.transaction(async (tx) => {
      if (!(await tx.first(sql.lockLogin, by.accountId, stored))) throw wrongPassword();
      await requireGuards(tx, [keyGuard(by)]);
      return work(tx, login?.email ?? '');
    });
  }

  return {
    withPassword,
    async withPasswordOrFreshLogin(by, password, work) {
      if (password !== undefined) return withPassword(by, password, work);
      return database.transaction(async (tx) => {
        await tx.first(lockAccount, by.accountId);
        await requireGuards(tx, [keyGuard(by)]);
        const session = by.isSession ? await tx.first(findSessionById, by.id, by.accountId) : undefined;
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
