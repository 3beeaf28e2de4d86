import { firstOwnParameter, listStatements } from '../../../core/db/list.ts';
import { statement } from '../../../core/db/statement.ts';

/** What the creator of a link sets. */
export type LinkTerms = {
  /** The most that one claim can withdraw; null: the spendable balance. */
  max_msat: number | null;
  /** JSON text: the amount in a currency from which `max_msat` was computed, and its rate. */
  fiat: string | null;
  /** The most that the routing of one claim may cost; null: `CLAIM_FEE_RULE` of its amount. */
  fee_limit_msat: number | null;
  /** null for a permanent link. */
  uses: number | null;
  /** The most that the claims of one day (UTC) may cost, with routing fees. */
  daily_limit_msat: number | null;
  /** For the claimers. */
  memo: string;
  /** For the owner. */
  user_label: string;
  /** JSON text for the payments of claims. */
  pass_thru: string | null;
};

export type LinkRow = LinkTerms & {
  id: string;
  wallet_id: string;
  uses_left: number | null;
  expires_at: number | null;
  revoked_at: number | null;
  created_at: number;
  /** The key that created it. Claims count against its limits, and are rejected when its lineage is no longer valid. */
  made_by: string | null;
  /** What the paid claims sent, without fees, and when the latest of them was made. */
  claimed_msat: number;
  last_claimed_at: number | null;
  /** The `waklw_` key of the wallet. */
  public_key: string;
};

/** A link for its claimers, with what its claims of one day cost or reserve, and whether a claim is pending (0 or 1). */
export type ClaimableRow = LinkRow & { ledger_account: number; k1_hash: Uint8Array; day_msat: number; is_busy: number };

/** A link for its owner, and the sums of its claims: of all days, and of one day. */
export type CountedRow = LinkRow & {
  claims: number;
  pending_msat: number;
  daily_spent_msat: number;
  daily_pending_msat: number;
};

export const insertLink = statement(
  'withdraw_link_insert',
  `INSERT INTO withdraw_link (id, wallet_id, ledger_account, k1_hash, max_msat, fee_limit_msat, uses, uses_left, daily_limit_msat, memo,
     user_label, pass_thru, fiat, expires_at, created_at, made_by, account_id)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10, $11, $12, $13, $14, $15, (SELECT account_id FROM wallet WHERE id = $2))`,
);

const COLUMNS = `l.id, l.wallet_id, l.max_msat, l.fee_limit_msat, l.uses, l.uses_left, l.daily_limit_msat, l.memo, l.user_label, l.pass_thru, l.fiat,
  l.expires_at, l.revoked_at, l.created_at, l.made_by, l.claimed_msat, l.last_claimed_at,
  (SELECT public_text FROM access_key k WHERE k.wallet_id = l.wallet_id AND k.kind = 'wallet_lnurl_withdraw' ORDER BY k.id LIMIT 1) AS public_key`;

/**
 * `$1` is the start of the day. One statement reads the uses that are left and the pending claim: a claim that fails between two statements
 * would make a link look used up for good.
 */
const CLAIMABLE = `SELECT ${COLUMNS}, l.ledger_account, l.k1_hash, coalesce(d.pending_msat + d.spent_msat, 0) AS day_msat,
    CASE WHEN EXISTS (SELECT 1 FROM payment p WHERE p.link_id = l.id AND p.state = 'pending') THEN 1 ELSE 0 END AS is_busy
  FROM withdraw_link l LEFT JOIN withdraw_link_day d ON d.link_id = l.id AND d.day_start = $1`;

export const findByK1 = statement<ClaimableRow>('withdraw_link_find_by_k1', `${CLAIMABLE} WHERE l.k1_hash = $2`);

export const findById = statement<ClaimableRow>('withdraw_link_find_by_id', `${CLAIMABLE} WHERE l.id = $2`);

const sum = (column: string) =>
  `(SELECT CAST(coalesce(sum(d.${column}), 0) AS BIGINT) FROM withdraw_link_day d WHERE d.link_id = l.id) AS ${column}`;
const onDay = (column: string, parameter: number) =>
  `coalesce((SELECT d.${column} FROM withdraw_link_day d WHERE d.link_id = l.id AND d.day_start = $${parameter}), 0) AS daily_${column}`;

/** `parameter` is the number of the start of the day. */
const counted = (parameter: number) => `SELECT ${COLUMNS}, ${sum('claims')}, ${sum('pending_msat')},
  ${onDay('spent_msat', parameter)}, ${onDay('pending_msat', parameter)} FROM withdraw_link l`;

export const findOfWallet = statement<CountedRow>('withdraw_link_find_of_wallet', `${counted(3)} WHERE l.wallet_id = $1 AND l.id = $2`);

const IN_FORCE = (table: string) =>
  `${table}.revoked_at IS NULL AND (${table}.expires_at IS NULL OR ${table}.expires_at > extract(epoch FROM now()))`;

/** The key that made it, or one that has replaced that key, is valid: see `isLineageValid`. */
const IS_ACTIVE = `(${IN_FORCE('l')} AND (l.uses_left IS NULL OR l.uses_left > 0) AND (l.made_by IS NULL OR EXISTS (
  SELECT 1 FROM access_key m JOIN access_key k ON k.lineage_id = m.lineage_id WHERE m.id = l.made_by AND ${IN_FORCE('k')})))`;

const OF_ACCOUNT = 'l.account_id = $1 AND (CAST($2 AS TEXT) IS NULL OR l.wallet_id = $2)';

const listOfAccount = (name: string, condition: string) =>
  listStatements<CountedRow>(`withdraw_link_list_of_account_${name}`, {
    select: counted(firstOwnParameter(2)),
    table: 'withdraw_link l',
    where: `${OF_ACCOUNT} AND ${condition}`,
    filters: 2,
    id: 'l.id',
  });

/** The links of all wallets of an account, or of one of them ($2). */
export const listOfAccountBy = {
  all: listOfAccount('all', 'TRUE'),
  active: listOfAccount('active', IS_ACTIVE),
  ended: listOfAccount('ended', `NOT ${IS_ACTIVE}`),
};

export type TotalRow = { links: number; claimed_msat: number; last_claimed_at: number | null };

const totalBy = (name: string, condition: string) =>
  statement<TotalRow>(
    `withdraw_link_total_${name}`,
    `SELECT count(*) AS links, CAST(coalesce(sum(l.claimed_msat), 0) AS BIGINT) AS claimed_msat, max(l.last_claimed_at) AS last_claimed_at
     FROM withdraw_link l WHERE ${OF_ACCOUNT} AND ${condition}`,
  );

/** The sums over the links of {@link listOfAccountBy}. */
export const totalOfAccountBy = {
  all: totalBy('all', 'TRUE'),
  active: totalBy('active', IS_ACTIVE),
  ended: totalBy('ended', `NOT ${IS_ACTIVE}`),
};

export const listOfWallet = listStatements<CountedRow>('withdraw_link_list', {
  select: counted(firstOwnParameter(1)),
  table: 'withdraw_link l',
  where: 'l.wallet_id = $1',
  filters: 1,
  id: 'l.id',
});

export const revokeLink = statement(
  'withdraw_link_revoke',
  'UPDATE withdraw_link SET revoked_at = $3 WHERE wallet_id = $1 AND id = $2 AND revoked_at IS NULL',
);

/** Takes one use. The statement is the lock and the check. */
export const claimUse = statement(
  'withdraw_link_claim',
  `UPDATE withdraw_link SET uses_left = uses_left - 1
   WHERE id = $1 AND (uses_left IS NULL OR uses_left > 0) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)`,
);

/** Releases the use of a failed claim, unless the link has paid more claims than it allows. */
export const releaseUse = statement(
  'withdraw_link_release',
  `UPDATE withdraw_link SET uses_left = CASE WHEN overused > 0 THEN uses_left ELSE uses_left + 1 END,
     overused = CASE WHEN overused > 0 THEN overused - 1 ELSE 0 END
   WHERE id = $1`,
);

const OVERUSE = 'CASE WHEN uses_left = 0 THEN overused + 1 ELSE 0 END';

/** Returns how many claims beyond its uses the link has paid when it pays another one. */
export const readOveruse = statement<{ overuse: number }>(
  'withdraw_link_read_overuse',
  `SELECT ${OVERUSE} AS overuse FROM withdraw_link WHERE id = $1`,
);

/** Takes a released use again, or counts a claim that was paid beyond the uses, if the overuse is still `$2`. A permanent link has no uses. */
export const retakeUse = statement(
  'withdraw_link_retake_use',
  `UPDATE withdraw_link SET overused = CASE WHEN uses_left = 0 THEN overused + 1 ELSE overused END,
     uses_left = CASE WHEN uses_left > 0 THEN uses_left - 1 ELSE uses_left END
   WHERE id = $1 AND ${OVERUSE} = $2`,
);

const WITHIN_LIMIT = (sum: string) => `(CAST($4 AS BIGINT) IS NULL OR ${sum} <= CAST($4 AS BIGINT))`;

/** Counts a new claim that reserves `$3`, if that fits into the daily limit `$4`. The statement is the lock and the check. */
export const reserveDay = statement(
  'withdraw_link_day_reserve',
  `INSERT INTO withdraw_link_day (link_id, day_start, claims, pending_msat, spent_msat, claimed_msat)
   SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), 1, CAST($3 AS BIGINT), 0, 0 WHERE ${WITHIN_LIMIT('CAST($3 AS BIGINT)')}
   ON CONFLICT (link_id, day_start) DO UPDATE
   SET claims = withdraw_link_day.claims + 1, pending_msat = withdraw_link_day.pending_msat + excluded.pending_msat
   WHERE ${WITHIN_LIMIT('withdraw_link_day.pending_msat + withdraw_link_day.spent_msat + excluded.pending_msat')}`,
);

export const insertClaim = statement(
  'withdraw_claim_insert',
  'INSERT INTO withdraw_claim (payment_id, link_id, day_start, reserved_msat) VALUES ($1, $2, $3, $4)',
);

const changeDay = (name: string, changes: string) =>
  statement(
    `withdraw_link_day_${name}`,
    `UPDATE withdraw_link_day SET ${changes} FROM withdraw_claim c
     WHERE c.payment_id = $1 AND withdraw_link_day.link_id = c.link_id AND withdraw_link_day.day_start = c.day_start`,
  );

/** Ends a failed claim. */
export const releaseDay = changeDay('release', 'claims = claims - 1, pending_msat = pending_msat - c.reserved_msat');

const PAID = 'spent_msat = spent_msat + CAST($2 AS BIGINT), claimed_msat = claimed_msat + CAST($3 AS BIGINT)';

/** Ends a paid claim of the amount `$3`, for which the wallet was charged `$2`. */
export const settleDay = changeDay('settle', `pending_msat = pending_msat - c.reserved_msat, ${PAID}`);

/** Counts a claim that was paid after it had failed, also beyond the daily limit. */
export const retakeDay = changeDay('retake', `claims = claims + 1, ${PAID}`);

/** Adds a paid claim of the amount `$2`, made at `$3`, to the figures of its link. */
export const countClaim = statement(
  'withdraw_link_count_claim',
  `UPDATE withdraw_link SET claimed_msat = claimed_msat + CAST($2 AS BIGINT),
     last_claimed_at = CASE WHEN last_claimed_at > $3 THEN last_claimed_at ELSE $3 END
   WHERE id = $1`,
);

/**
 * Stores an address of a link. An address that is already stored is replaced, without its failures; its new id makes writes about the old one
 * change nothing.
 */
export const insertNotice = statement(
  'withdraw_notice_insert',
  `INSERT INTO withdraw_notice (id, link_id, url, seen_msat) VALUES ($1, $2, $3, $4)
   ON CONFLICT (link_id, url) DO UPDATE SET id = excluded.id, seen_msat = excluded.seen_msat, due_at = NULL, failures = 0`,
);

/** Deletes all addresses of a link but the newest `$2`. */
export const deleteOldestNotices = statement(
  'withdraw_notice_delete_oldest',
  `DELETE FROM withdraw_notice WHERE link_id = $1
     AND id NOT IN (SELECT id FROM withdraw_notice WHERE link_id = $1 ORDER BY id DESC LIMIT $2)`,
);

export type NoticeRow = { id: string; link_id: string; url: string; seen_msat: number; due_at: number | null; failures: number };

/** Returns addresses after an id. */
export const listNotices = statement<NoticeRow>(
  'withdraw_notice_list',
  'SELECT id, link_id, url, seen_msat, due_at, failures FROM withdraw_notice WHERE id > $1 ORDER BY id LIMIT $2',
);

export const updateNotice = statement(
  'withdraw_notice_update',
  'UPDATE withdraw_notice SET seen_msat = $2, due_at = $3, failures = $4 WHERE id = $1',
);

export const deleteNotice = statement('withdraw_notice_delete', 'DELETE FROM withdraw_notice WHERE id = $1');
