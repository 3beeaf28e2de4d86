import { revokeOtherSessions, type StartedSession, startSession } from '../../core/accounts/sessions.ts';
import { findSetupLink, takeSetupLink } from '../../core/accounts/setup-links.ts';
import type { Tx } from '../../core/db/database.ts';
import { isUniqueViolation } from '../../core/db/errors.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { LoginContext } from './login-modules.ts';
import * as sql from './logins.sql.ts';
import { deleteChallengesOf, deletePasskeys } from './passkeys.sql.ts';
import { checked, creationOptions, insertPasskey, newChallenge, takeChallenge } from './passkeys.ts';
import { deleteLinkedKeys } from './wallet-logins.sql.ts';
import { readRegistration, relyingPartyOf } from './webauthn.ts';

interface SetupRequest {
  readonly token: string;
  readonly email: string | undefined;
}

/** What a setup link sets: a password or a passkey. */
interface NewLogin {
  readonly passwordHash: string | null;
  readonly addLogin?: (tx: Tx) => Promise<unknown>;
}

/** Uses setup links. */
export type Setups = ReturnType<typeof createSetups>;

export function createSetups({ database, clock, passwords, publicUrl }: LoginContext) {
  /** Returns the account of a link, whose e-mail is known or sent. @throws Refusal `unauthorized`, `validation_failed` without an e-mail */
  async function accountOf({ token, email }: SetupRequest): Promise<{ accountId: string; email: string }> {
    const accountId = await findSetupLink(database, clock, token);
    if (accountId === undefined) throw unusableLink();
    const known = (await database.first(sql.findLoginOfAccount, accountId))?.email ?? undefined;
    const name = email ?? known;
    if (name === undefined) throw new Refusal('validation_failed', '`email` is required, because the account has none.');
    return { accountId, email: name };
  }

  /**
   * Uses up a link. Removes all other ways to log in and the second factor, ends all sessions of the account and starts one. An e-mail of
   * another account uses the link up, too, and the response is that for a link that has been used. @throws Refusal `unauthorized`
   */
  async function useLink({ token, email }: SetupRequest, accountId: string, { passwordHash, addLogin }: NewLogin, userAgent: string) {
    try {
      return await database.transaction(async (tx) => {
        if (!(await takeSetupLink(tx, clock, token))) throw unusableLink();
        await tx.run(sql.setLogin, accountId, email ?? null, passwordHash);
        for (const way of [sql.deleteTotp, sql.deleteRecoveryCodes, deleteLinkedKeys, deletePasskeys]) await tx.run(way, accountId);
        await addLogin?.(tx);
        await revokeOtherSessions(tx, clock, accountId);
        return startSession(tx, clock, { accountId, method: 'setup_link', userAgent });
      });
    } catch (error) {
      if (!isUniqueViolation(error, 'account')) throw error;
      // Otherwise the holder of a link could find out which e-mails have accounts, one after the other.
      await database.transaction((tx) => takeSetupLink(tx, clock, token));
      throw unusableLink();
    }
  }

  return {
    /** Returns whether anyone can log in. */
    hasLogin: async () => (await database.first(sql.findAnyLogin)) !== undefined,

    /**
     * Sets e-mail and password with the token of a setup link.
     * @throws Refusal `unauthorized`, `validation_failed` without an e-mail
     */
    async setPassword({ password, ...request }: SetupRequest & { readonly password: string }, userAgent: string): Promise<StartedSession> {
      const { accountId } = await accountOf(request);
      const passwordHash = await passwords.hash(password, { groups: [accountId], isKnown: true });
      return useLink(request, accountId, { passwordHash }, userAgent);
    },

    /**
     * Begins to set a passkey. Returns the PublicKeyCredentialCreationOptionsJSON of WebAuthn. The link stays usable.
     * @throws Refusal `unauthorized`, `passkeys_unavailable`, `validation_failed` without an e-mail
     */
    async beginPasskey(request: SetupRequest) {
      const { id: rpId } = relyingPartyOf(publicUrl);
      const { accountId, email: name } = await accountOf(request);
      const challenge = await database.transaction(async (tx) => {
        await tx.run(deleteChallengesOf, accountId);
        return newChallenge(tx, clock, makerOf(accountId));
      });
      return creationOptions({ rpId, accountId, name, challenge });
    },

    /**
     * Sets e-mail and passkey with the token of a setup link. The account has no password afterwards.
     * @throws Refusal `unauthorized`, `validation_failed` without an e-mail or for a credential that is rejected
     */
    async setPasskey(
      request: SetupRequest & { readonly credential: unknown; readonly name: string },
      userAgent: string,
    ): Promise<StartedSession> {
      const party = relyingPartyOf(publicUrl);
      const { accountId } = await accountOf(request);
      const maker = makerOf(accountId);
      const { credential, name } = request;
      const made = await checked('validation_failed', async () =>
        readRegistration(party, credential, await takeChallenge(database, clock, credential, maker)),
      );
      const addLogin = (tx: Tx) => insertPasskey(tx, clock, maker, { ...made, name });
      return useLink(request, accountId, { passwordHash: null, addLogin }, userAgent);
    },
  };
}

function makerOf(accountId: string) {
  return { accountId, id: 'setup' };
}

function unusableLink(): Refusal {
  return new Refusal(
    'unauthorized',
    'The link is unknown, has expired, or has been used, or its e-mail cannot be used. Ask the operator for a new one.',
  );
}
