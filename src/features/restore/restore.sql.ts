import { statement } from '../../core/db/statement.ts';

/** What was booked from and to the nodes after a position. Money for no wallet is not counted. */
export const sumBooked = statement<{ receipts: number; received_msat: number; payments: number; sent_msat: number; fee_msat: number }>(
  'restore_sum_booked',
  `SELECT count(CASE WHEN from_account <= 1 AND to_account > 5 THEN 1 END) AS receipts,
     CAST(coalesce(sum(CASE WHEN from_account <= 1 AND to_account > 5 THEN amount_msat END), 0) AS BIGINT) AS received_msat,
     count(CASE WHEN to_account <= 1 AND from_lntx IS NOT NULL THEN 1 END) AS payments,
     CAST(coalesce(sum(CASE WHEN to_account <= 1 AND from_lntx IS NOT NULL THEN amount_msat END), 0) AS BIGINT) AS sent_msat,
     CAST(coalesce(sum(CASE WHEN to_account <= 1 AND from_lntx IS NULL THEN amount_msat END), 0) AS BIGINT) AS fee_msat
   FROM ledger_transfer WHERE position > $1`,
);

/** The payments that were read back and have not ended, and what the wallets of all that were read back lacked. */
export const sumReadBack = statement<{ pending: number; shortfall_msat: number }>(
  'restore_sum_read_back',
  `SELECT count(CASE WHEN state = 'pending' THEN 1 END) AS pending, CAST(coalesce(sum(shortfall_msat), 0) AS BIGINT) AS shortfall_msat
   FROM payment WHERE shortfall_msat IS NOT NULL`,
);

export type ShortfallRow = { wallet_id: string; payment_id: string; num_msat: number };

export const listShortfalls = statement<ShortfallRow>(
  'restore_list_shortfalls',
  'SELECT wallet_id, id AS payment_id, shortfall_msat AS num_msat FROM payment WHERE shortfall_msat > 0 ORDER BY id LIMIT $1',
);

export const countRecoveredWallets = statement<{ n: number }>(
  'restore_count_recovered_wallets',
  'SELECT count(*) AS n FROM wallet WHERE account_id = $1',
);

export const listRecoveredWallets = statement<{ id: string }>(
  'restore_list_recovered_wallets',
  'SELECT id FROM wallet WHERE account_id = $1 ORDER BY id LIMIT $2',
);
