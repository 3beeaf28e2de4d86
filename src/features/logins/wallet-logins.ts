import { changeOwnAccount, type Key, lockAccount } from '../../core/accounts/accounts.ts';
import { startSession } from '../../core/accounts/sessions.ts';
import type { SqlReader, Tx } from '../../core/db/database.ts';
import { isUniqueViolation } from '../../core/db/errors.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { newId, randomText, secretHash } from '../../core/kernel/ids.ts';
import { Refusal, requireFound } from '../../core/kernel/refusal.ts';
import * as challenges from './lnurl-auth/challenges.sql.ts';
import { insertChallenge } from './lnurl-auth/signature.ts';
import { tooManyLogins } from './login-limits.ts';
import type { LoginContext } from './login-modules.ts';
import * as sql from './wallet-logins.sql.ts';

/** A login in the browser that started it. Only this browser gets the token, which is not part of the URL. */
export interface BrowserLogin {
  readonly id: string;
  readonly token: string;
}

/** A signed login can be completed for this much longer, for the code of an authenticator app. */
const COMPLETION_SECONDS = 300;
/** The expiry is short, because a QR code can be shown to another person. */
const LIMITS = { expirySeconds: 300, keptSeconds: 300 + COMPLETION_SECONDS, max: 10_000 };

const MAX_KEYS_PER_ACCOUNT = 10;

const NEEDS_APP =
  'A login with a Lightning wallet needs an authenticator app as well. Log in with the password or a passkey, and add an app in the settings.';
const NOT_LINKED = 'No account has linked this Lightning wallet. Log in in another way, and link it in the settings first.';

/**
 * Logs people in to this service with the key that a Lightning wallet derives for its domain (LUD-04). The person who sees the LNURL cannot
 * complete the login without the token of the browser.
 */
export type WalletLogins = ReturnType<typeof createWalletLogins>;

export function createWalletLogins({ database, clock, ownerCheck, secondFactors, publicUrl }: LoginContext) {
  /** Stores a new request to sign, and returns it in the form of the API. @throws Refusal `rate_limited` if too many people log in */
  async function newRequest(tx: Tx, purpose: 'login' | 'link', owner: Partial<challenges.ChallengeRow>) {
    const challenge = { ...owner, id: `wlg_${newId(clock.nowMs())}`, purpose, action: purpose };
    const request = await insertChallenge(tx, { clock, publicUrl }, challenge, LIMITS);
    if (!request) throw tooManyLogins();
    return request;
  }

  async function findOpen(queries: SqlReader, id: string, purpose: 'login' | 'link'): Promise<challenges.ChallengeRow | undefined> {
    const row = await queries.first(challenges.findById, id, purpose);
    const isOver = row && unixSeconds(clock) >= row.expires_at + (row.linking_key === null ? 0 : COMPLETION_SECONDS);
    return isOver ? undefined : row;
  }

  async function findLogin({ id, token }: BrowserLogin, queries: SqlReader = database): Promise<challenges.ChallengeRow> {
    const row = await findOpen(queries, id, 'login');
    if (!row?.token_hash || !secretHash(token).equals(row.token_hash))
      throw new Refusal('unauthorized', 'The login is unknown, used or expired. Start a new one.');
    return row;
  }

  return {
    /** Begins a login, and returns its token. @throws Refusal `rate_limited` if too many are open */
    async begin() {
      const token = randomText(43);
      return { ...(await database.transaction((tx) => newRequest(tx, 'login', { token_hash: secretHash(token) }))), token };
    },

    /** Returns the key that signed a login; undefined as long as none has. @throws Refusal `unauthorized` */
    signer: async (login: BrowserLogin) => (await findLogin(login)).linking_key ?? undefined,

    /**
     * Starts a session of the account to which the key that signed is linked. It needs an authenticator app: a wallet uses the same key for the
     * applications of members, so a dishonest application, or a person who shows a QR code, can get a login to this service signed.
     * @throws Refusal `unauthorized`, `code_required`, `forbidden`
     */
    complete: ({ code, ...login }: BrowserLogin & { code: string | undefined }, userAgent: string) =>
      secondFactors.countingWrongCodes(() =>
        database.transaction(async (tx) => {
          const { id, linking_key: linkingKey } = await findLogin(login, tx);
          // Of two requests at once, one deletes it.
          if (linkingKey === null || (await tx.run(challenges.deleteChallenge, id)) === 0)
            throw new Refusal('unauthorized', 'No wallet has signed.');
          const accountId = await lockLinkedAccount(tx, linkingKey);
          if (!(await secondFactors.has(tx, accountId))) throw new Refusal('forbidden', NEEDS_APP);
          await secondFactors.require(tx, accountId, code);
          await tx.run(sql.touchLinkedKey, linkingKey, unixSeconds(clock));
          return startSession(tx, clock, { accountId, method: 'lnurl_auth', userAgent });
        }),
      ),

    /** Begins to link a wallet, which replaces an earlier beginning of the account. @throws Refusal `password_required`, `forbidden` */
    beginLink: (by: Key, { password, name }: { password: string | undefined; name: string }) =>
      ownerCheck.withPasswordOrFreshLogin(by, password, async (tx) => {
        await tx.run(challenges.deleteLinksOf, by.accountId);
        return newRequest(tx, 'link', { account_id: by.accountId, made_by: by.id, name });
      }),

    /** Links the key that signed; undefined as long as none has. @throws Refusal `not_found`, `login_taken`, `too_many_logins` */
    completeLink: (by: Key, requestId: string): Promise<sql.LinkedKeyRow | undefined> =>
      changeOwnAccount(database, by, async (tx) => {
        const row = await findOpen(tx, requestId, 'link');
        if (row?.account_id !== by.accountId || row.made_by !== by.id) throw new Refusal('not_found');
        if (row.linking_key === null) return undefined;
        if ((await tx.run(challenges.deleteChallenge, requestId)) === 0) throw new Refusal('not_found');
        return linkKey(tx, clock, by.accountId, { linkingKey: row.linking_key, name: row.name ?? '' });
      }),

    /** Returns the linked keys of an account, newest first. */
    listKeys: (accountId: string) => database.all(sql.listLinkedKeys, accountId),

    /** Removes a linked key and returns it. @throws Refusal `unauthorized`, `not_found` */
    removeKey: (by: Key, id: string) =>
      changeOwnAccount(database, by, async (tx) => {
        const linked = requireFound(await tx.first(sql.findLinkedKeyById, id, by.accountId));
        await tx.run(sql.deleteLinkedKey, id, by.accountId);
        return linked;
      }),
  };
}

/** Locks the account to which a key is linked. @returns its id @throws Refusal `unauthorized` */
async function lockLinkedAccount(tx: Tx, linkingKey: string): Promise<string> {
  const found = await tx.first(sql.findLinkedKey, linkingKey);
  if (found) await lockAccount(tx, found.account_id);
  // It may have been removed before the lock.
  const linked = found && (await tx.first(sql.findLinkedKey, linkingKey));
  if (!linked || linked.account_id !== found.account_id) throw new Refusal('unauthorized', NOT_LINKED);
  return linked.account_id;
}

/** Links a key to an account. @throws Refusal `login_taken`, `too_many_logins` */
async function linkKey(tx: Tx, clock: Clock, accountId: string, { linkingKey, name }: { linkingKey: string; name: string }) {
  const id = `lky_${newId(clock.nowMs())}`;
  try {
    const inserted = await tx.run(sql.insertLinkedKey, id, accountId, linkingKey, name, unixSeconds(clock), MAX_KEYS_PER_ACCOUNT);
    if (inserted === 0) throw new Refusal('too_many_logins', `The account has ${MAX_KEYS_PER_ACCOUNT} linked keys. Remove one first.`);
  } catch (error) {
    throw isUniqueViolation(error, 'linked_key') ? new Refusal('login_taken') : error;
  }
  return tx.first(sql.findLinkedKeyById, id, accountId);
}
