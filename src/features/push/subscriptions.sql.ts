import { statement } from '../../core/db/statement.ts';

export type SubscriptionRow = {
  id: string;
  account_id: string;
  credential_id: string;
  sealed: Uint8Array;
  key_id: string;
  language: string;
  user_agent: string;
  after_position: number;
  created_at: number;
  renewed_at: number;
};

const COLUMNS = 'id, account_id, credential_id, sealed, key_id, language, user_agent, after_position, created_at, renewed_at';

/**
 * Stores a subscription ($1: id, $2: account, $3: credential, $4: hash of the endpoint, $5: sealed, $6: key, $7: language, $8: browser, $9: now). The
 * same browser keeps its row. If another account subscribes in that browser, the row passes to that account.
 */
export const upsert = statement(
  'push_subscription_upsert',
  `INSERT INTO push_subscription
     (id, account_id, credential_id, endpoint_hash, sealed, key_id, language, user_agent, after_position, created_at, renewed_at)
   SELECT $1, $2, $3, $4, $5, $6, $7, $8, coalesce(max(position), 0), $9, $9 FROM event WHERE true
   ON CONFLICT (endpoint_hash) DO UPDATE SET
     id = CASE WHEN push_subscription.account_id = excluded.account_id THEN push_subscription.id ELSE excluded.id END,
     after_position = CASE WHEN push_subscription.account_id = excluded.account_id THEN push_subscription.after_position
       ELSE excluded.after_position END,
     created_at = CASE WHEN push_subscription.account_id = excluded.account_id THEN push_subscription.created_at ELSE excluded.created_at END,
     account_id = excluded.account_id, credential_id = excluded.credential_id, sealed = excluded.sealed, key_id = excluded.key_id,
     language = excluded.language, user_agent = excluded.user_agent, renewed_at = excluded.renewed_at`,
);

export const remove = statement('push_subscription_remove', 'DELETE FROM push_subscription WHERE id = $1');

/** Deletes the subscriptions of an account, except the $2 that were renewed last. */
export const removeOldest = statement(
  'push_subscription_remove_oldest',
  `DELETE FROM push_subscription WHERE account_id = $1 AND id NOT IN
     (SELECT id FROM push_subscription WHERE account_id = $1 ORDER BY renewed_at DESC, id DESC LIMIT $2)`,
);

/**
 * An expired session still gets notifications until `renewed_at` is too old: sessions expire after a day without a request, and notifications are for
 * the time when the app is closed. A revoked session gets none.
 */
const VALID = `key_id = $2 AND renewed_at > $3
  AND (EXISTS (SELECT 1 FROM session s WHERE s.id = credential_id AND s.account_id = push_subscription.account_id AND s.revoked_at IS NULL)
    OR EXISTS (SELECT 1 FROM access_key k WHERE k.id = credential_id AND k.account_id = push_subscription.account_id AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > extract(epoch FROM now()))))
  AND EXISTS (SELECT 1 FROM account a WHERE a.id = push_subscription.account_id AND a.status NOT IN ('frozen', 'closed'))`;

/** The valid subscriptions of accounts ($1). $2: the key of this service; $3: renewals up to this time are too old. */
export const listValid = statement<SubscriptionRow>(
  'push_subscription_list_valid',
  `SELECT ${COLUMNS} FROM push_subscription WHERE account_id = ANY($1::text[]) AND ${VALID} ORDER BY id`,
);

export const findValid = statement<SubscriptionRow>(
  'push_subscription_find_valid',
  `SELECT ${COLUMNS} FROM push_subscription WHERE id = $1 AND ${VALID}`,
);

/** Deletes subscriptions that were not renewed. Those of revoked sessions are kept until then, so that a new login in that browser renews them. */
export const removeOld = statement('push_subscription_remove_old', 'DELETE FROM push_subscription WHERE renewed_at <= $1');

const SHOWN = `SELECT ${COLUMNS}, CASE WHEN ${VALID} THEN 1 ELSE 0 END AS is_active FROM push_subscription
  WHERE account_id = $1 AND key_id = $2`;

export type ShownRow = SubscriptionRow & { is_active: number };

/** The subscriptions of an account ($1) that this service can read. $2, $3: as in {@link listValid}. */
export const listShown = statement<ShownRow>('push_subscription_list_shown', `${SHOWN} ORDER BY id`);

export const findShown = statement<ShownRow>('push_subscription_find_shown', `${SHOWN} AND id = $4`);

export const findShownByHash = statement<ShownRow>('push_subscription_find_shown_by_hash', `${SHOWN} AND endpoint_hash = $4`);

/** The smallest position after which a subscription gets notifications; NULL without subscriptions. */
export const firstAfter = statement<{ position: number | null }>(
  'push_subscription_first_after',
  'SELECT min(after_position) AS position FROM push_subscription',
);

/** Moves the position up to which payments were processed from the value that this instance has read ($3) to $2. */
export const advance = statement('push_advance', 'UPDATE service_fact SET value = $2 WHERE name = $1 AND value = $3');
