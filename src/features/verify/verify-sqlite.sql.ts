import { statement } from '../../core/db/statement.ts';

/** Milestones that do not have the position of their entry. */
export const wrongMilestones = statement<{ account: number; entry: number }>(
  'verify_wrong_milestones',
  `SELECT m.account, m.entry FROM ledger_milestone m LEFT JOIN ledger_transfer t ON t.position = m.position
   WHERE t.position IS NULL OR m.entry % $1 <> 0 OR NOT (
     (t.from_account = m.account AND t.from_entry = m.entry) OR (t.to_account = m.account AND t.to_entry = m.entry)) LIMIT 20`,
);

export const countMilestones = statement<{ n: number }>('verify_count_milestones', 'SELECT count(*) AS n FROM ledger_milestone');
