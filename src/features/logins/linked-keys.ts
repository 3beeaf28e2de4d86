import { changeOwnAccount, type Key, lockAccount } from '../../core/accounts/accounts.ts';
import { type StartedSession, startSession } from '../../core/accounts/sessions.ts';
import type { Database, Tx } from '../../core/db/database.ts';
import { isUniqueViolation } from '../../core/db/errors.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { newId } from '../../core/kernel/ids.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { findLoginOfAccount } from './logins.sql.ts';
import type { SecondFactors } from './second-factors.ts';
import * as sql from './wallet-logins.sql.ts';

/** A key of a Lightning wallet that logs in to an account (LUD-04). Times are Unix seconds. */
export interface LinkedKey {
  readonly id: string;
  /** Compressed, in hex. */
  readonly linkingKey: string;
  readonly name: string;
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
}

const MAX_PER_ACCOUNT = 10;

const OPERATOR_NEEDS_APP =
  'An operator can log in with a Lightning wallet only if the account has an authenticator app. Log in with the password or a passkey, and add an app in the settings.';

export type LinkedKeys = ReturnType<typeof createLinkedKeys>;

export function createLinkedKeys(database: Database, clock: Clock, secondFactors: SecondFactors) {
  return {
    /** Returns the keys of an account, newest first. */
    list: async (accountId: string) => (await database.all(sql.listLinkedKeys, accountId)).map(toLinkedKey),

    /** Removes a key and returns it. @throws Refusal `unauthorized`, `not_found` */
    remove: (by: Key, id: string) =>
      changeOwnAccount(database, by, async (tx) => {
        const row = await tx.first(sql.findLinkedKeyById, id, by.accountId);
        if (!row) throw new Refusal('not_found');
        await tx.run(sql.deleteLinkedKey, id, by.accountId);
        return toLinkedKey(row);
      }),

    /** Links a key to an account. @throws Refusal `login_taken`, `too_many_logins` */
    async link(tx: Tx, accountId: string, { linkingKey, name }: { linkingKey: string; name: string }): Promise<LinkedKey> {
      const id = `lky_${newId(clock.nowMs())}`;
      const createdAt = unixSeconds(clock);
      try {
        const inserted = await tx.run(sql.insertLinkedKey, id, accountId, linkingKey, name, createdAt, MAX_PER_ACCOUNT);
        if (inserted === 0) throw new Refusal('too_many_logins', `The account has ${MAX_PER_ACCOUNT} linked keys. Remove one first.`);
      } catch (error) {
        throw isUniqueViolation(error, 'linked_key') ? new Refusal('login_taken') : error;
      }
      return { id, linkingKey, name, createdAt, lastUsedAt: undefined };
    },

    /**
     * Starts a session of the account to which the key is linked. An operator needs an authenticator app: a wallet uses
     * the same key for the applications of members, so a dishonest application can get a login to this service signed.
     * @throws Refusal `unauthorized`, `code_required`, `forbidden`
     */
    async startSession(
      tx: Tx,
      { linkingKey, code, userAgent }: { linkingKey: string; code: string | undefined; userAgent: string },
    ): Promise<StartedSession> {
      const found = await tx.first(sql.findLinkedKey, linkingKey);
      if (found) await lockAccount(tx, found.account_id);
      // It may have been removed before the lock.
      const linked = found && (await tx.first(sql.findLinkedKey, linkingKey));
      if (!linked || linked.account_id !== found.account_id) throw notLinked();
      const accountId = linked.account_id;
      const account = await tx.first(findLoginOfAccount, accountId);
      if (account?.role === 'operator' && !(await secondFactors.has(tx, accountId))) throw new Refusal('forbidden', OPERATOR_NEEDS_APP);
      await secondFactors.require(tx, accountId, code);
      await tx.run(sql.touchLinkedKey, linkingKey, unixSeconds(clock));
      return startSession(tx, clock, { accountId, method: 'lnurl_auth', userAgent });
    },
  };
}

/** Removes all linked keys of an account. */
export async function removeLinkedKeys(tx: Tx, accountId: string): Promise<void> {
  await tx.run(sql.deleteLinkedKeys, accountId);
}

function notLinked(): Refusal {
  return new Refusal(
    'unauthorized',
    'No account has linked this Lightning wallet. Log in in another way, and link it in the settings first.',
  );
}

function toLinkedKey(row: sql.LinkedKeyRow): LinkedKey {
  return {
    id: row.id,
    linkingKey: row.linking_key,
    name: row.name,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}
