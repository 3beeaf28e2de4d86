import { statement } from '../../../core/db/statement.ts';

/** Stores an address of a link. An address that is already stored is replaced, without its pending call and its failures. */
export const insertNotice = statement(
  'withdraw_notice_insert',
  `INSERT INTO withdraw_notice (id, link_id, url, seen_msat) VALUES ($1, $2, $3, $4)
   ON CONFLICT (link_id, url) DO UPDATE SET id = excluded.id, seen_msat = excluded.seen_msat, due_at = NULL, failures = 0`,
);

/** Deletes all addresses of a link but the newest `$2`. */
export const deleteOldest = statement(
  'withdraw_notice_delete_oldest',
  `DELETE FROM withdraw_notice WHERE link_id = $1
     AND id NOT IN (SELECT id FROM withdraw_notice WHERE link_id = $1 ORDER BY id DESC LIMIT $2)`,
);

export const deleteOfLink = statement('withdraw_notice_delete_of_link', 'DELETE FROM withdraw_notice WHERE link_id = $1');

/** Links with addresses, after an id. */
export const linksAfter = statement<{ link_id: string }>(
  'withdraw_notice_links',
  'SELECT DISTINCT link_id FROM withdraw_notice WHERE link_id > $1 ORDER BY link_id LIMIT $2',
);

/** Makes calls due at `$3` if the amount `$2` is at least `$4` larger than the amount that was seen. */
export const noteRise = statement(
  'withdraw_notice_rise',
  `UPDATE withdraw_notice SET seen_msat = $2, due_at = coalesce(due_at, $3) WHERE link_id = $1 AND seen_msat + CAST($4 AS BIGINT) <= $2`,
);

export const noteFall = statement(
  'withdraw_notice_fall',
  'UPDATE withdraw_notice SET seen_msat = $2 WHERE link_id = $1 AND seen_msat > $2',
);

export type DueNotice = { id: string; url: string; due_at: number; failures: number };

export const listDue = statement<DueNotice>(
  'withdraw_notice_list_due',
  'SELECT id, url, due_at, failures FROM withdraw_notice WHERE due_at <= $1 ORDER BY due_at LIMIT $2',
);

/** Ends a call that was due at `$2`: `$3` is the time of the next one, or null; `$4` the number of failures. */
export const concludeCall = statement(
  'withdraw_notice_conclude',
  'UPDATE withdraw_notice SET due_at = $3, failures = $4 WHERE id = $1 AND due_at = $2',
);

export const deleteNotice = statement('withdraw_notice_delete', 'DELETE FROM withdraw_notice WHERE id = $1');
