import { changeOwnAccount, type Key } from '../../core/accounts/accounts.ts';
import { revokeOtherSessions, type StartedSession, startSession } from '../../core/accounts/sessions.ts';
import { findSetupLink, takeSetupLink } from '../../core/accounts/setup-links.ts';
import type { Database } from '../../core/db/database.ts';
import { isUniqueViolation } from '../../core/db/errors.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { removeLinkedKeys } from './linked-keys.ts';
import * as sql from './logins.sql.ts';
import type { OwnerCheck } from './owner-check.ts';
import { removePasskeys } from './passkeys.ts';
import type { Passwords } from './passwords.ts';
import { removeSecondFactor, type SecondFactors } from './second-factors.ts';

export interface LoginModules {
  readonly database: Database;
  readonly clock: Clock;
  readonly secondFactors: SecondFactors;
  readonly passwords: Passwords;
  readonly ownerCheck: OwnerCheck;
}

/** Logs people in with e-mail and password. */
export type Logins = ReturnType<typeof createLogins>;

export function createLogins({ database, clock, secondFactors, passwords, ownerCheck }: LoginModules) {
  return {
    /**
     * Starts a session. An unknown e-mail costs the same work and has the same error as a wrong password.
     * @throws Refusal `unauthorized`, `code_required` if the account has a second factor
     */
    async logIn(
      { email, password, code }: { email: string; password: string; code?: string | undefined },
      userAgent: string,
    ): Promise<StartedSession> {
      const login = await database.first(sql.findLogin, email);
      const stored = login?.password_hash ?? undefined;
      if (!(await passwords.verify(password, stored)) || !login || stored === undefined) throw wrongLogin();
      return database.transaction(async (tx) => {
        // The password may have been changed since it was read.
        if (!(await tx.first(sql.lockLogin, login.id, stored))) throw wrongLogin();
        await secondFactors.require(tx, login.id, code);
        return startSession(tx, clock, { accountId: login.id, method: 'password', userAgent });
      });
    },

    /**
     * Sets e-mail and password with the token of a setup link, which can then no longer be used. Removes all other ways to log in and the
     * second factor, ends all sessions of the account and starts one. @throws Refusal `unauthorized`, `email_taken`, `validation_failed` without an e-mail
     */
    async setUp(
      { token, email, password }: { token: string; email: string | undefined; password: string },
      userAgent: string,
    ): Promise<StartedSession> {
      const accountId = await findSetupLink(database, clock, token);
      if (accountId === undefined) throw unusableLink();
      const known = await database.first(sql.findLoginOfAccount, accountId);
      if (email === undefined && known?.email === null)
        throw new Refusal('validation_failed', '`email` is required, because the account has none.');
      const passwordHash = await passwords.hash(password);
      try {
        return await database.transaction(async (tx) => {
          if (!(await takeSetupLink(tx, clock, token))) throw unusableLink();
          await tx.run(sql.setLogin, accountId, email ?? null, passwordHash);
          await removeSecondFactor(tx, accountId);
          await removeLinkedKeys(tx, accountId);
          await removePasskeys(tx, accountId);
          await revokeOtherSessions(tx, clock, accountId);
          return startSession(tx, clock, { accountId, method: 'setup_link', userAgent });
        });
      } catch (error) {
        throw isUniqueViolation(error, 'account') ? new Refusal('email_taken') : error;
      }
    },

    /** Changes the password and ends all other sessions of the account. @throws Refusal `unauthorized` */
    async changePassword(by: Key, { current, next }: { current: string; next: string }): Promise<void> {
      const passwordHash = await passwords.hash(next);
      await ownerCheck.withPassword(by, current, async (tx) => {
        await tx.run(sql.setLogin, by.accountId, null, passwordHash);
        await revokeOtherSessions(tx, clock, by.accountId, by.id);
      });
    },

    /** Creates the seed of an authenticator app, which counts once it is confirmed. @throws Refusal `forbidden`, `validation_failed` */
    beginTotp: (by: Key, password: string) =>
      ownerCheck.withPassword(by, password, async (tx, email) => ({ seed: await secondFactors.begin(tx, by.accountId), email })),

    /** Returns the recovery codes. They are not stored. @throws Refusal `validation_failed` */
    confirmTotp: (by: Key, code: string) => changeOwnAccount(database, by, (tx) => secondFactors.confirm(tx, by.accountId, code)),

    /** Replaces the recovery codes and returns them. They are not stored. @throws Refusal `forbidden`, `code_required`, `validation_failed` */
    renewRecoveryCodes: (by: Key, { password, code }: { password: string; code: string }) =>
      ownerCheck.withPassword(by, password, (tx) => secondFactors.renewRecoveryCodes(tx, by.accountId, code)),

    /** Removes the second factor. @throws Refusal `forbidden`, `code_required` */
    removeTotp: (by: Key, { password, code }: { password: string; code: string }) =>
      ownerCheck.withPassword(by, password, async (tx) => {
        await secondFactors.require(tx, by.accountId, code);
        await removeSecondFactor(tx, by.accountId);
      }),
  };
}

function wrongLogin(): Refusal {
  return new Refusal('unauthorized', 'The e-mail or the password is wrong.');
}

function unusableLink(): Refusal {
  return new Refusal('unauthorized', 'The link is unknown, has expired, or has been used. Ask the operator for a new one.');
}
