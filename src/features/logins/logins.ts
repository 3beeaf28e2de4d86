import { type Key, keyGuard } from '../../core/accounts/accounts.ts';
import { lockAccount } from '../../core/accounts/keyring.sql.ts';
import * as sql from '../../core/accounts/logins.sql.ts';
import { revokeOtherSessions, type StartedSession, startSession } from '../../core/accounts/sessions.ts';
import { setupTokenHash } from '../../core/accounts/setup-links.ts';
import type { Database } from '../../core/db/database.ts';
import { isUniqueViolation } from '../../core/db/errors.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { requireGuards } from '../../core/ledger/ledger.ts';
import { removeLinkedKeys } from './linked-keys.ts';
import type { OwnerCheck } from './owner-check.ts';
import { removePasskeys } from './passkeys.ts';
import type { Passwords } from './passwords.ts';
import { removeSecondFactor, type SecondFactors } from './second-factors.ts';

/** Logs people in with e-mail and password. */
export interface Logins {
  /**
   * Starts a session. An unknown e-mail costs the same work and has the same error as a wrong password.
   * @throws Refusal `unauthorized`, `code_required` if the account has a second factor
   */
  logIn(login: { email: string; password: string; code?: string | undefined }, userAgent: string): Promise<StartedSession>;
  /**
   * Sets e-mail and password with the token of a setup link, which can then no longer be used. Removes all other ways to log in and the
   * second factor, ends all sessions of the account and starts one. @throws Refusal `unauthorized`, `email_taken`, `validation_failed` without an e-mail
   */
  setUp(setup: { token: string; email: string | undefined; password: string }, userAgent: string): Promise<StartedSession>;
  /** Changes the password and ends all other sessions of the account. @throws Refusal `unauthorized` */
  changePassword(by: Key, passwords: { current: string; next: string }): Promise<void>;
  /** Creates the seed of an authenticator app, which counts once it is confirmed. @throws Refusal `forbidden`, `validation_failed` */
  beginTotp(by: Key, password: string): Promise<{ seed: Uint8Array; email: string }>;
  /** Returns the recovery codes. They are not stored. @throws Refusal `validation_failed` */
  confirmTotp(by: Key, code: string): Promise<string[]>;
  /** Replaces the recovery codes and returns them. They are not stored. @throws Refusal `forbidden`, `code_required`, `validation_failed` */
  renewRecoveryCodes(by: Key, proof: { password: string; code: string }): Promise<string[]>;
  /** Removes the second factor. @throws Refusal `forbidden`, `code_required` */
  removeTotp(by: Key, proof: { password: string; code: string }): Promise<void>;
}

export interface LoginDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly secondFactors: SecondFactors;
  readonly passwords: Passwords;
  readonly ownerCheck: OwnerCheck;
}

export function createLogins({ database, clock, secondFactors, passwords, ownerCheck }: LoginDependencies): Logins {
  return {
    async logIn({ email, password, code }, userAgent) {
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
    async setUp({ token, email, password }, userAgent) {
      const tokenHash = setupTokenHash(token);
      const link = await database.first(sql.findSetupLink, tokenHash, unixSeconds(clock));
      if (!link) throw unusableLink();
      const accountId = link.account_id;
      const known = await database.first(sql.findLoginOfAccount, accountId);
      if (email === undefined && known?.email === null)
        throw new Refusal('validation_failed', '`email` is required, because the account has none.');
      const passwordHash = await passwords.hash(password);
      try {
        return await database.transaction(async (tx) => {
          if ((await tx.run(sql.deleteSetupLink, tokenHash, unixSeconds(clock))) === 0) throw unusableLink();
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
    async changePassword(by, { current, next }) {
      const passwordHash = await passwords.hash(next);
      await ownerCheck.withPassword(by, current, async (tx) => {
        await tx.run(sql.setLogin, by.accountId, null, passwordHash);
        await revokeOtherSessions(tx, clock, by.accountId, by.id);
      });
    },
    beginTotp: (by, password) =>
      ownerCheck.withPassword(by, password, async (tx, email) => ({ seed: await secondFactors.begin(tx, by.accountId), email })),
    confirmTotp: (by, code) =>
      database.transaction(async (tx) => {
        await tx.first(lockAccount, by.accountId);
        await requireGuards(tx, [keyGuard(by)]);
        return secondFactors.confirm(tx, by.accountId, code);
      }),
    renewRecoveryCodes: (by, { password, code }) =>
      ownerCheck.withPassword(by, password, (tx) => secondFactors.renewRecoveryCodes(tx, by.accountId, code)),
    removeTotp: (by, { password, code }) =>
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
