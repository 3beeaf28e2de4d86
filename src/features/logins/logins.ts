import { type Key, lockAccount } from '../../core/accounts/accounts.ts';
import { revokeOtherSessions, type StartedSession, startSession } from '../../core/accounts/sessions.ts';
import type { Tx } from '../../core/db/database.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { QueuedCaller } from '../../http/limits/fair-queue.ts';
import type { LoginContext } from './login-modules.ts';
import * as sql from './logins.sql.ts';

/** Logs people in with e-mail and password, or with a recovery code. */
export type Logins = ReturnType<typeof createLogins>;

export function createLogins({ database, clock, secondFactors, recoveryCodes, passwords, ownerCheck }: LoginContext) {
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
     * Starts a session with a recovery code, which is used up. Where the login has a second factor, codes replace that alone, so they do not
     * log in. An unknown e-mail costs the same work and has the same error as a wrong code. @throws Refusal `unauthorized`
     */
    async logInWithRecoveryCode({ email, code }: { email: string; code: string }, userAgent: string): Promise<StartedSession> {
      const accountId = (await database.first(sql.findLogin, email))?.id ?? '';
      return database.transaction(async (tx) => {
        await lockAccount(tx, accountId);
        if (!(await recoveryCodes.use(tx, accountId, code))) throw wrongCode();
        return startSession(tx, clock, { accountId, method: 'setup_link', userAgent });
      });
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

function wrongCode(): Refusal {
  return new Refusal('unauthorized', 'The e-mail or the recovery code is wrong, or the code has been used.');
}
