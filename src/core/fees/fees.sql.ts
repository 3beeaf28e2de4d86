import { listStatements } from '../db/list.ts';
import { statement } from '../db/statement.ts';
import type { FeeDirection } from './fee-rule.ts';

export type ScheduleRow = {
  id: string;
  owner_id: string;
  version: number;
  is_removed: number;
  made_by: string;
  reason: string;
  created_at: number;
};

export type RuleRow = {
  schedule_id: string;
  direction: FeeDirection;
  flat_msat: number;
  proportional_millionths: number;
  min_msat: number;
  max_msat: number | null;
  free_below_msat: number;
};

const SCHEDULE = 'SELECT id, owner_id, version, is_removed, made_by, reason, created_at FROM fee_schedule';

const RULE = 'SELECT schedule_id, direction, flat_msat, proportional_millionths, min_msat, max_msat, free_below_msat FROM fee_rule';

/** Whether any schedule exists. */
export const findAny = statement<{ found: number }>('fee_find_any', 'SELECT 1 AS found FROM fee_schedule LIMIT 1');

/** The newest versions of these owners. */
export const findCurrent = statement<ScheduleRow>(
  'fee_find_current',
  `${SCHEDULE} AS s WHERE owner_id = ANY($1::text[])
    AND version = (SELECT max(version) FROM fee_schedule AS newest WHERE newest.owner_id = s.owner_id)`,
);

export const findSchedule = statement<ScheduleRow>('fee_find_schedule', `${SCHEDULE} WHERE id = $1`);

/** The versions of an owner. */
export const listVersions = listStatements<ScheduleRow>('fee_list_versions', {
  select: SCHEDULE,
  table: 'fee_schedule',
  where: 'owner_id = $1',
  filters: 1,
});

export const findRules = statement<RuleRow>('fee_find_rules', `${RULE} WHERE schedule_id = ANY($1::text[]) ORDER BY direction`);

/** Inserts the next version of an owner. Two requests at the same time violate the unique index, and one is repeated. */
export const insertSchedule = statement(
  'fee_insert_schedule',
  `INSERT INTO fee_schedule (id, owner_id, version, is_removed, made_by, reason, created_at)
   SELECT $1, $2, coalesce(max(version), 0) + 1, $3, $4, $5, $6 FROM fee_schedule WHERE owner_id = $2`,
);

export const insertRule = statement(
  'fee_insert_rule',
  `INSERT INTO fee_rule (schedule_id, direction, flat_msat, proportional_millionths, min_msat, max_msat, free_below_msat)
   VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);

/** Records a fee that a posting charges. */
export const insertFee = statement(
  'fee_insert',
  `INSERT INTO service_fee (transfer_id, schedule_id, direction, amount_msat, wallet_id, lntx, share_msat, share_transfer_id)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

/** The account of a wallet and the accounts above it; the account's revenue share in millionths, and the wallet that gets it. */
export const findOwners = statement<{
  account_id: string;
  ancestors: string;
  share: number;
  share_wallet: string | null;
  share_account: number | null;
}>(
  'fee_find_owners',
  `SELECT w.account_id, a.ancestors, a.share_millionths AS share, s.id AS share_wallet, s.ledger_account AS share_account
   FROM wallet w JOIN account a ON a.id = w.account_id LEFT JOIN wallet s ON s.id = a.revenue_wallet_id WHERE w.id = $1`,
);
