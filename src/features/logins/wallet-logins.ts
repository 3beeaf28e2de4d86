import { changeOwnAccount, type Key, lockAccount } from '../../core/accounts/accounts.ts';
import { startSession } from '../../core/accounts/sessions.ts';
import type { SqlReader, Tx } from '../../core/db/database.ts';
import { isUniqueViolation } from '../../core/db/errors.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { newId, randomText, secretHash } from '../../core/kernel/ids.ts';
import { Refusal, requireFound } from '../../core/kernel/refusal.ts';
import { newSignatureRequest, type SignedChallenge, storeSignature } from './lnurl-auth/signature.ts';
import type { LoginContext } from './login-modules.ts';
import { findLoginOfAccount } from './logins.sql.ts';
import * as sql from './wallet-logins.sql.ts';

/** A login in the browser that started it. Only this browser gets the token, which is not part of the URL. */
export interface BrowserLogin {
  readonly id: string;
  readonly token: string;
}

/** Short, because a QR code can be shown to another person. */
const EXPIRY_SECONDS = 300;
/** A signed login can be completed for this much longer, for the code of an authenticator app. */
const COMPLETION_SECONDS = 300;
const MAX_OPEN = 10_000;
const DELETED_AT_ONCE = 100;

const MAX_KEYS_PER_ACCOUNT = 10;

const OPERATOR_NEEDS_APP =
  'An operator can log in with a Lightning wallet only if the account has an authenticator app. Log in with the password or a passkey, and add an app in the settings.';
const NOT_LINKED = 'No account has linked this Lightning wallet. Log in in another way, and link it in the settings first.';

/**
 * Logs people in to this service with the key that a Lightning wallet derives for its domain (LUD-04). The person who sees the LNURL cannot
 * complete the login without the token of the browser.
 */
export type WalletLogins = ReturnType<typeof createWalletLogins>;

export function createWalletLogins({ database, clock, ownerCheck, secondFactors, publicUrl }: LoginContext) {
  /** Stores a new request to sign, and returns it in the form of the API. @throws Refusal `rate_limited` if too many people log in */
  async function newRequest(tx: Tx, { token, by, name }: { token?: string; by?: Key; name?: string }) {
    const { k1Hash, ...links } = newSignatureRequest(publicUrl, by ? 'link' : 'login');
    const now = unixSeconds(clock);
    const request = { id: `wlg_${newId(clock.nowMs())}`, ...links, expires_at: now + EXPIRY_SECONDS };
    const owner = [token === undefined ? null : secretHash(token), by?.accountId ?? null, by?.id ?? null, name ?? null];
    await tx.run(sql.deleteExpired, now - COMPLETION_SECONDS, DELETED_AT_ONCE);
    if ((await tx.run(sql.insertRequest, request.id, k1Hash, ...owner, now, request.expires_at, MAX_OPEN)) === 0)
      throw new Refusal('rate_limited', 'Too many people log in right now. Try again in a minute.');
    return request;
  }

  function isOver({ expires_at: expiresAt, linking_key: signer }: sql.WalletLoginRow): boolean {
    return unixSeconds(clock) >= expiresAt + (signer === null ? 0 : COMPLETION_SECONDS);
  }

  async function findLogin({ id, token }: BrowserLogin, queries: SqlReader = database): Promise<sql.WalletLoginRow> {
    const row = await queries.first(sql.findLogin, id, secretHash(token));
    if (!row || isOver(row)) throw new Refusal('unauthorized', 'The login is unknown, used or expired. Start a new one.');
    return row;
  }

  return {
    /** Begins a login, and returns its token. @throws Refusal `rate_limited` if too many are open */
    async begin() {
      const token = randomText(43);
      return { ...(await database.transaction((tx) => newRequest(tx, { token }))), token };
    },

    /** Returns the key that signed a login; undefined as long as none has. @throws Refusal `unauthorized` */
    signer: async (login: BrowserLogin) => (await findLogin(login)).linking_key ?? undefined,

    /**
     * Starts a session of the account to which the key that signed is linked. An operator needs an authenticator app: a wallet uses the same key
     * for the applications of members, so a dishonest application can get a login to this service signed.
     * @throws Refusal `unauthorized`, `code_required`, `forbidden`
     */
    complete: ({ code, ...login }: BrowserLogin & { code: string | undefined }, userAgent: string) =>
      database.transaction(async (tx) => {
        const { id, linking_key: linkingKey } = await findLogin(login, tx);
        // Of two requests at once, one deletes it.
        if (linkingKey === null || (await tx.run(sql.deleteLogin, id)) === 0) throw new Refusal('unauthorized', 'No wallet has signed.');
        const accountId = await lockLinkedAccount(tx, linkingKey);
        const account = await tx.first(findLoginOfAccount, accountId);
        if (account?.role === 'operator' && !(await secondFactors.has(tx, accountId))) throw new Refusal('forbidden', OPERATOR_NEEDS_APP);
        await secondFactors.require(tx, accountId, code);
        await tx.run(sql.touchLinkedKey, linkingKey, unixSeconds(clock));
        return startSession(tx, clock, { accountId, method: 'lnurl_auth', userAgent });
      }),

    /** Begins to link a wallet, which replaces an earlier beginning of the account. @throws Refusal `password_required`, `forbidden` */
    beginLink: (by: Key, { password, name }: { password: string | undefined; name: string }) =>
      ownerCheck.withPasswordOrFreshLogin(by, password, async (tx) => {
        await tx.run(sql.deleteLinksOf, by.accountId);
        return newRequest(tx, { by, name });
      }),

    /** Links the key that signed; undefined as long as none has. @throws Refusal `not_found`, `login_taken`, `too_many_logins` */
    completeLink: (by: Key, requestId: string): Promise<sql.LinkedKeyRow | undefined> =>
      changeOwnAccount(database, by, async (tx) => {
        const row = await tx.first(sql.findLink, requestId, by.accountId, by.id);
        if (!row || isOver(row)) throw new Refusal('not_found');
        if (row.linking_key === null) return undefined;
        if ((await tx.run(sql.deleteLogin, requestId)) === 0) throw new Refusal('not_found');
        return linkKey(tx, clock, by.accountId, { linkingKey: row.linking_key, name: row.name ?? '' });
      }),

    /** Stores the key that signed. @returns false if `k1` belongs to no such login @throws Refusal `link_unusable` */
    sign: (signed: SignedChallenge) => storeSignature(database, clock, signed, { find: sql.findByK1, store: sql.sign }),

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
