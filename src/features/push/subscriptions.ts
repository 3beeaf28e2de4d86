import { changeOwnAccount, type Key } from '../../core/accounts/accounts.ts';
import type { Database } from '../../core/db/database.ts';
import { type RowWrite, writeRows } from '../../core/db/row-write.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { newId, secretHash } from '../../core/kernel/ids.ts';
import { Refusal, requireFound } from '../../core/kernel/refusal.ts';
import { deriveSealingKey, sealText, unsealText } from '../../core/kernel/sealing.ts';
import { type Outbound, OutboundError } from '../../core/outbound/outbound.ts';
import { areBrowserKeys, type BrowserKeys } from './encryption.ts';
import type { SubscriptionRow } from './subscriptions.sql.ts';
import * as sql from './subscriptions.sql.ts';

/** `ended`: its session or key was revoked. A new login in that browser renews it. */
export const PUSH_STATUSES = ['active', 'ended'] as const;

/** A browser that gets notifications, as the API returns it. */
export interface PushSubscription {
  readonly id: string;
  readonly account_id: string;
  /** The address of its push service, without the path, which is a secret. */
  readonly push_service: string;
  readonly status: (typeof PUSH_STATUSES)[number];
  readonly language: string;
  readonly user_agent: string;
  readonly created_at: number;
  readonly renewed_at: number;
}

/** The endpoint and the keys to which messages of a browser are sent. */
export interface PushTarget extends BrowserKeys {
  /** A secret: its holder can send messages to the browser. */
  readonly endpoint: string;
}

export interface NewSubscription extends PushTarget {
  readonly language: string;
  readonly userAgent: string;
}

/** Per account. The one that was renewed least recently is replaced. */
export const MAX_SUBSCRIPTIONS = 20;
export const MAX_ENDPOINT = 2048;
/**
 * A subscription ends if the dashboard was not opened with a login in its browser for this time. A session lasts at most 14 days and its row is kept for
 * 30 days more, so the row exists as long as the subscriptions of the session.
 */
export const RENEWAL_DAYS = 30;
const MAX_USER_AGENT = 200;

export interface SubscriptionDependencies {
  readonly database: Database;
  readonly clock: Clock;
  /** The bytes of SECRET_KEY. */
  readonly secretKey: Uint8Array;
  readonly outbound: Pick<Outbound, 'checkUrl'>;
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;

/** The subscriptions of browsers to notifications, by account. */
export function createSubscriptions({ database, clock, secretKey, outbound }: SubscriptionDependencies) {
  const { key, keyId } = deriveSealingKey(secretKey, 'satchel push subscriptions');
  const tooOld = () => unixSeconds(clock) - RENEWAL_DAYS * 86_400;

  const open = ({ sealed, key_id }: SubscriptionRow): PushTarget => {
    if (key_id !== keyId) throw new Error('another key has sealed the subscription');
    return JSON.parse(unsealText(key, sealed, 'push'));
  };

  function shown(row: sql.ShownRow): PushSubscription {
    const { id, account_id, is_active, language, user_agent, created_at, renewed_at } = row;
    const status = is_active === 1 ? 'active' : 'ended';
    return { id, account_id, push_service: new URL(open(row).endpoint).origin, status, language, user_agent, created_at, renewed_at };
  }

  return {
    /** Returns the subscriptions of an account. */
    list: async (accountId: string): Promise<PushSubscription[]> =>
      (await database.all(sql.listShown, accountId, keyId, tooOld())).map(shown),

    find: async (accountId: string, id: string): Promise<PushSubscription> =>
      shown(requireFound(await database.first(sql.findShown, accountId, keyId, tooOld(), id))),

    /**
     * Stores a browser, or renews it. `extraRows`: rows in the same transaction, from the id.
     * @throws Refusal `unauthorized`, `validation_failed`
     */
    add: (by: Key, subscription: NewSubscription, extraRows: (id: string) => readonly RowWrite[] = () => []): Promise<PushSubscription> => {
      const { endpoint, p256dh, auth, language, userAgent } = subscription;
      checkTarget(outbound, { endpoint, p256dh, auth });
      return changeOwnAccount(database, by, async (tx) => {
        const hash = secretHash(endpoint);
        const sealed = sealText(key, JSON.stringify({ endpoint, p256dh, auth }), 'push');
        const browser = userAgent.slice(0, MAX_USER_AGENT).toWellFormed();
        const id = `psub_${newId(clock.nowMs())}`;
        await tx.run(sql.upsert, id, by.accountId, by.id, hash, sealed, keyId, language, browser, unixSeconds(clock));
        const stored = shown(requireFound(await tx.first(sql.findShownByHash, by.accountId, keyId, tooOld(), hash)));
        await tx.run(sql.removeOldest, by.accountId, MAX_SUBSCRIPTIONS);
        await writeRows(tx, extraRows(stored.id));
        return stored;
      });
    },

    /** Deletes a subscription and returns what it was. @throws Refusal `unauthorized`, `not_found` */
    remove: (by: Key, id: string): Promise<PushSubscription> =>
      changeOwnAccount(database, by, async (tx) => {
        const row = requireFound(await tx.first(sql.findShown, by.accountId, keyId, tooOld(), id));
        await tx.run(sql.remove, id);
        return shown(row);
      }),

    /** Deletes the subscriptions whose last renewal is too old. */
    removeOld: async (): Promise<void> => void (await database.transaction((tx) => tx.run(sql.removeOld, tooOld()))),

    /** Deletes a subscription that the push service no longer has. */
    forget: (id: string): Promise<unknown> => database.transaction((tx) => tx.run(sql.remove, id)),

    /** Returns the subscriptions of these accounts that get notifications. */
    listValid: (accountIds: readonly string[]): Promise<SubscriptionRow[]> => database.all(sql.listValid, accountIds, keyId, tooOld()),

    /** Returns the endpoint and the keys of a subscription; undefined if it has ended. */
    async findTarget(id: string): Promise<PushTarget | undefined> {
      const row = await database.first(sql.findValid, id, keyId, tooOld());
      return row && open(row);
    },
  };
}

/** @throws Refusal `validation_failed` */
function checkTarget(outbound: Pick<Outbound, 'checkUrl'>, { endpoint, ...keys }: PushTarget): void {
  try {
    outbound.checkUrl(endpoint);
  } catch (error) {
    if (error instanceof OutboundError) throw new Refusal('validation_failed', `\`endpoint\`: ${error.message}`);
    throw error;
  }
  if (!areBrowserKeys(keys))
    throw new Refusal(
      'validation_failed',
      '`p256dh` and `auth` must be the keys of the browser, in base64url, as PushSubscription has them.',
    );
}
