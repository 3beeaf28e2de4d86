import { randomBytes } from 'node:crypto';
import { changeOwnAccount, type Key } from '../../core/accounts/accounts.ts';
import type { Database, SqlReader, Tx } from '../../core/db/database.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { newId, randomText } from '../../core/kernel/ids.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { encodeLnurl } from '../../core/lightning/bech32.ts';
import { tokenHash } from '../lnurl/lnurl.ts';
import type { LinkedKey, LinkedKeys } from './linked-keys.ts';
import { callbackUrl, isSigned, type SignedChallenge } from './lnurl-auth/signature.ts';
import type { OwnerCheck } from './owner-check.ts';
import * as sql from './wallet-logins.sql.ts';

/** A request to a person to sign with a Lightning wallet. */
export interface WalletRequest {
  readonly id: string;
  readonly url: string;
  /** `url` in bech32 (LUD-01), upper case. */
  readonly lnurl: string;
  /** Unix seconds. */
  readonly expiresAt: number;
}

/** A login that a browser has started. Only this browser gets the token, which is not part of the URL. */
export interface BegunWalletLogin extends WalletRequest {
  readonly token: string;
}

/** A login in the browser that started it. */
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

export interface WalletLoginModules {
  readonly database: Database;
  readonly clock: Clock;
  readonly ownerCheck: OwnerCheck;
  readonly linkedKeys: LinkedKeys;
  readonly publicUrl: string;
}

/**
 * Logs people in to this service with the key that a Lightning wallet derives for its domain (LUD-04). The person who sees the LNURL cannot
 * complete the login without the token of the browser.
 */
export type WalletLogins = ReturnType<typeof createWalletLogins>;

export function createWalletLogins({ database, clock, ownerCheck, linkedKeys, publicUrl }: WalletLoginModules) {
  function newRequest(action: 'login' | 'link') {
    const k1 = randomBytes(32).toString('hex');
    const url = callbackUrl(publicUrl, k1, action);
    const createdAt = unixSeconds(clock);
    const request = { id: `wlg_${newId(clock.nowMs())}`, url, lnurl: encodeLnurl(url), expiresAt: createdAt + EXPIRY_SECONDS };
    return { request, k1Hash: tokenHash(k1), createdAt };
  }

  async function deleteExpired(tx: Tx): Promise<void> {
    await tx.run(sql.deleteExpired, unixSeconds(clock) - COMPLETION_SECONDS, DELETED_AT_ONCE);
  }

  function isOver({ expires_at: expiresAt, linking_key: signer }: sql.WalletLoginRow): boolean {
    return unixSeconds(clock) >= expiresAt + (signer === null ? 0 : COMPLETION_SECONDS);
  }

  async function findLogin({ id, token }: BrowserLogin, queries: SqlReader = database): Promise<sql.WalletLoginRow> {
    const row = await queries.first(sql.findLogin, id, tokenHash(token));
    if (!row || isOver(row)) throw new Refusal('unauthorized', 'The login is unknown, used or expired. Start a new one.');
    return row;
  }

  return {
    /** @throws Refusal `rate_limited` if too many are open */
    async begin(): Promise<BegunWalletLogin> {
      const { request, k1Hash, createdAt } = newRequest('login');
      const token = randomText(43);
      await database.transaction(async (tx) => {
        await deleteExpired(tx);
        const inserted = await tx.run(sql.insertLogin, request.id, k1Hash, tokenHash(token), createdAt, request.expiresAt, MAX_OPEN);
        if (inserted === 0) throw new Refusal('rate_limited', 'Too many people log in right now. Try again in a minute.');
      });
      return { ...request, token };
    },

    /** Returns the key that signed a login; undefined as long as none has. @throws Refusal `unauthorized` */
    signer: async (login: BrowserLogin) => (await findLogin(login)).linking_key ?? undefined,

    /** Starts a session of the account with the key that signed. @throws Refusal `unauthorized`, `code_required` */
    complete: ({ code, ...login }: BrowserLogin & { code: string | undefined }, userAgent: string) =>
      database.transaction(async (tx) => {
        const { id, linking_key: linkingKey } = await findLogin(login, tx);
        // Of two requests at once, one deletes it.
        if (linkingKey === null || (await tx.run(sql.deleteLogin, id)) === 0) throw new Refusal('unauthorized', 'No wallet has signed.');
        return linkedKeys.startSession(tx, { linkingKey, code, userAgent });
      }),

    /** Begins to link a wallet, which replaces an earlier beginning of the account. @throws Refusal `password_required`, `forbidden` */
    async beginLink(by: Key, { password, name }: { password: string | undefined; name: string }): Promise<WalletRequest> {
      const { request, k1Hash, createdAt } = newRequest('link');
      await ownerCheck.withPasswordOrFreshLogin(by, password, async (tx) => {
        await deleteExpired(tx);
        await tx.run(sql.deleteLinksOf, by.accountId);
        await tx.run(sql.insertLink, request.id, k1Hash, by.accountId, by.id, name, createdAt, request.expiresAt);
      });
      return request;
    },

    /** Links the key that signed; undefined as long as none has. @throws Refusal `not_found`, `login_taken`, `too_many_logins` */
    completeLink: (by: Key, id: string): Promise<LinkedKey | undefined> =>
      changeOwnAccount(database, by, async (tx) => {
        const row = await tx.first(sql.findLink, id, by.accountId, by.id);
        if (!row || isOver(row)) throw new Refusal('not_found');
        if (row.linking_key === null) return undefined;
        if ((await tx.run(sql.deleteLogin, id)) === 0) throw new Refusal('not_found');
        return linkedKeys.link(tx, by.accountId, { linkingKey: row.linking_key, name: row.name ?? '' });
      }),

    /** Stores the key that signed. @returns false if `k1` belongs to no such login @throws Refusal `link_unusable` */
    async sign(signed: SignedChallenge): Promise<boolean> {
      const k1Hash = tokenHash(signed.k1);
      if (!(await database.first(sql.findByK1, k1Hash))) return false;
      if (!isSigned(signed)) throw new Refusal('link_unusable', 'The signature is not valid.');
      const stored = await database.transaction((tx) => tx.run(sql.sign, k1Hash, signed.linkingKey, unixSeconds(clock)));
      if (stored === 0) throw new Refusal('link_unusable', 'This login link has expired or has been used. Ask for a new one.');
      return true;
    },
  };
}
