import { statement } from '../db/statement.ts';

/** Returns the switch if money may leave, and prevents a stop until the transaction ends. The lock conflicts only with {@link lockSwitch}. */
export const allowed = statement<{ id: string }>(
  'withdrawals_allowed',
  'SELECT id FROM withdrawal_switch WHERE id = ANY($1::text[]) AND stopped_at IS NULL FOR KEY SHARE',
);

/** Waits for the postings that have read the switch. */
export const lockSwitch = statement<{ stopped_at: number | null }>(
  'withdrawals_lock',
  "SELECT stopped_at FROM withdrawal_switch WHERE id = 'all' FOR UPDATE",
);

export const stop = statement(
  'withdrawals_stop',
  "UPDATE withdrawal_switch SET stopped_at = $1, stopped_by = $2, reason = $3, refused = 0 WHERE id = 'all'",
);

export const replaceReason = statement(
  'withdrawals_replace_reason',
  "UPDATE withdrawal_switch SET stopped_by = $1, reason = $2 WHERE id = 'all'",
);

export const resume = statement('withdrawals_resume', "UPDATE withdrawal_switch SET stopped_at = NULL, stopped_by = NULL WHERE id = 'all'");

export const addRefused = statement(
  'withdrawals_add_refused',
  "UPDATE withdrawal_switch SET refused = refused + $1 WHERE id = 'all' AND stopped_at = $2",
);

export type SwitchRow = {
  stopped_at: number | null;
  /** The e-mail of the operator, otherwise the account. */
  stopped_by: string | null;
  reason: string;
  refused: number;
};

export const read = statement<SwitchRow>(
  'withdrawals_read',
  `SELECT s.stopped_at, coalesce((SELECT a.email FROM account a WHERE a.id = s.stopped_by), s.stopped_by) AS stopped_by, s.reason, s.refused
   FROM withdrawal_switch s WHERE s.id = 'all'`,
);
