import type { Key } from '../../core/accounts/accounts.ts';
import { revokeOtherSessions, type StartedSession, startSession } from '../../core/accounts/sessions.ts';
import { findSetupLink, takeSetupLink } from '../../core/accounts/setup-links.ts';
import type { Tx } from '../../core/db/database.ts';
import { isUniqueViolation } from '../../core/db/errors.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { QueuedCaller } from '../../http/limits/fair-queue.ts';
import type { LoginContext } from './login-modules.ts';
import * as sql from './logins.sql.ts';
import { deletePasskeys } from './passkeys.sql.ts';
import { deleteLinkedKeys } from './wallet-logins.sql.ts';

/** Logs people in with e-mail and password. */
export type Logins = ReturnType<typeof createLogins>;

export function createLogins({ database, clock, secondFactors, passwords, ownerCheck }: LoginContext) {
  return {
    /**
     * Starts a session. An unknown e-mail costs the same work and has the same error as a wrong password.
     * @throws Refusal `unauthorized`, `code_required` if the account has a second factor
     */
    async logIn(
      { email, password, code }: { email: string; password: string; code?: string | undefined },
      userAgent: string,
      caller: QueuedCaller = { groups: [] },
    ): Promise<StartedSession> {
      const login = await database.first(sql.findLogin, email);
      const stored = login?.password_hash ?? undefined;
      if (!(await passwords.verify(password, stored, caller)) || !login || stored === undefined) throw wrongLogin();
      const better = passwords.isReplaced(stored) ? await passwords.hash(password, caller) : undefined;
      const start = async (tx: Tx) => {
        // The password may have been changed since it was read.
        if (!(await tx.first(sql.lockLogin, login.id, stored))) throw wrongLogin();
        await secondFactors.require(tx, login.id, code);
        if (better !== undefined) await tx.run(sql.setLogin, login.id, null, better);
        return startSession(tx, clock, { accountId: login.id, method: 'password', userAgent });
      };
      return secondFactors.countingWrongCodes(() => database.transaction(start));
    },

    /**
     * Sets e-mail and password with the token of a setup link, which can then no longer be used. Removes all other ways to log in and the
     * second factor, ends all sessions of the account and starts one. An e-mail of another account uses the link up, too.
     * @throws Refusal `unauthorized`, `email_taken`, `validation_failed` without an e-mail
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
      const passwordHash = await passwords.hash(password, { groups: [accountId], isKnown: true });
      try {
        return await database.transaction(async (tx) => {
          if (!(await takeSetupLink(tx, clock, token))) throw unusableLink();
          await tx.run(sql.setLogin, accountId, email ?? null, passwordHash);
          for (const way of [sql.deleteTotp, sql.deleteRecoveryCodes, deleteLinkedKeys, deletePasskeys]) await tx.run(way, accountId);
          await revokeOtherSessions(tx, clock, accountId);
          return startSession(tx, clock, { accountId, method: 'setup_link', userAgent });
        });
      } catch (error) {
        if (!isUniqueViolation(error, 'account')) throw error;
        // Otherwise the holder of a link could find out which e-mails have accounts, one after the other.
        await database.transaction((tx) => takeSetupLink(tx, clock, token));
        throw new Refusal('email_taken', 'This e-mail cannot be used, and the link is used up. Ask the operator for a new link.');
      }
    },

    /** Changes the password and ends all other sessions of the account. @throws Refusal `unauthorized` */
    async changePassword(by: Key, { current, next }: { current: string; next: string }): Promise<void> {
      const passwordHash = await passwords.hash(next, { groups: [by.accountId], isKnown: true });
      await ownerCheck.withPassword(by, current, async (tx) => {
        await tx.run(sql.setLogin, by.accountId, null, passwordHash);
        await revokeOtherSessions(tx, clock, by.accountId, by.id);
      });
    },
  };
}

function wrongLogin(): Refusal {
  return new Refusal('unauthorized', 'The e-mail or the password is wrong.');
}

function unusableLink(): Refusal {
  return new Refusal('unauthorized', 'The link is unknown, has expired, or has been used. Ask the operator for a new one.');
}
