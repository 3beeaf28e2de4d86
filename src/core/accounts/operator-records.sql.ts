import { statement } from '../db/statement.ts';

export const insertRecord = statement(
  'operator_record_insert',
  `INSERT INTO operator_record (id, kind, subject, target, account_id, requested_by, actor, origin, changes, reason, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
);
