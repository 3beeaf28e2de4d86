import type { RecordChecks } from './records.sql.ts';

/** The transaction of a payment with a hold has the key from its start. Transfers between wallets, and payments in one posting, have it themselves. */
const KEY_DIFFERS = 'OR ((t.from_lntx IS NULL OR t.key_lineage_id IS NOT NULL) AND x.key_lineage_id IS DISTINCT FROM t.key_lineage_id)';

const ofSide = (side: 'from' | 'to') => {
  const [letter, sign] = side === 'from' ? ['o', '-'] : ['i', ''];
  return {
    join: `x.id = 'wtx_' || t.id || '${letter}'`,
    differs: `x.ledger_account <> t.${side}_account OR x.amount_msat <> ${sign}t.amount_msat OR x.entry <> t.${side}_entry
      OR x.balance_msat <> t.${side}_balance_msat OR x.type <> t.${side}_type OR x.placed_at_ms <> t.created_at_ms
      OR x.lntx IS DISTINCT FROM t.${side}_lntx ${side === 'from' ? KEY_DIFFERS : ''} OR x.wallet_id <> w.id OR x.account_id <> w.account_id`,
  };
};

const transfersOf = (side: 'from' | 'to') => `SELECT t.id FROM ledger_transfer t JOIN wallet w ON w.ledger_account = t.${side}_account
   LEFT JOIN wallet_transaction x ON ${ofSide(side).join}
   WHERE t.${side}_type IS NOT NULL AND (x.id IS NULL OR x.status <> 'settled' OR ${ofSide(side).differs})`;

const FEE = "amount_msat < 0 AND type IN ('network_fee', 'service_fee')";
const OUT = "amount_msat < 0 AND type NOT IN ('network_fee', 'service_fee')";

/** The sums of a transaction, to be subtracted. */
const SUBTRACTED = `CASE WHEN amount_msat > 0 THEN -amount_msat ELSE 0 END, CASE WHEN amount_msat > 0 THEN -1 ELSE 0 END,
     CASE WHEN ${OUT} THEN amount_msat ELSE 0 END, CASE WHEN ${OUT} THEN -1 ELSE 0 END,
     CASE WHEN ${FEE} THEN amount_msat ELSE 0 END, CASE WHEN ${FEE} THEN -1 ELSE 0 END`;

const SUMS = ['in_msat', 'in_count', 'out_msat', 'out_count', 'fees_msat', 'fees_count'];

const NOT_ZERO = SUMS.map((sum) => `sum(${sum}) <> 0`).join(' OR ');

const hoursOf = (table: string, owner: string, parts: readonly string[]) =>
  `SELECT CAST(${owner} AS TEXT) AS id FROM (
     SELECT ${owner}, hour, ${SUMS.join(', ')} FROM ${table}
     ${parts.map((hour) => `UNION ALL SELECT ${owner}, ${hour}, ${SUBTRACTED} FROM wallet_transaction WHERE status = 'settled'`).join(' ')}
   ) AS counted GROUP BY ${owner}, hour HAVING ${NOT_ZERO}`;

/** Compares the wallet transactions and their hourly sums with transfers and payments. */
export const JOURNAL_CHECKS: RecordChecks = {
  // Transfers of wallets that their wallet transactions do not show as they are.
  verify_journal_transfers: [
    'its wallet transaction is missing, or shows something else',
    `SELECT id FROM (${transfersOf('from')} UNION ALL ${transfersOf('to')}) AS mismatches`,
  ],
  verify_journal_transactions: [
    'no transfer owns this settled wallet transaction',
    `SELECT x.id FROM wallet_transaction x LEFT JOIN ledger_transfer t ON t.id = substr(x.id, 5, length(x.id) - 5)
     WHERE x.status = 'settled' AND t.id IS NULL`,
  ],
  // Payments that their wallet transactions do not show as they are.
  verify_journal_payments: [
    'its wallet transaction is missing, or shows something else',
    `SELECT p.id FROM payment p LEFT JOIN wallet_transaction x ON x.id = 'wtx_' || p.transfer_id || 'o'
     WHERE x.id IS NULL OR x.lntx IS NULL OR x.lntx <> p.id OR x.amount_msat <> -p.amount_msat
       OR (x.key_lineage_id IS NOT NULL AND p.budget_lineage_id IS NOT NULL AND x.key_lineage_id <> p.budget_lineage_id)
       OR x.status <> CASE p.state WHEN 'succeeded' THEN 'settled' ELSE p.state END`,
  ],
  verify_journal_unsettled: [
    'no payment owns this wallet transaction',
    `SELECT x.id FROM wallet_transaction x LEFT JOIN payment p ON p.id = x.lntx
     LEFT JOIN arriving_payment a ON a.invoice_id = x.lntx AND 'wtx_' || a.transfer_id || 'i' = x.id AND a.is_credited = 0
     WHERE x.status <> 'settled' AND p.id IS NULL AND (a.payment_hash IS NULL OR a.amount_msat <> x.amount_msat
       OR x.status <> CASE a.state WHEN 'arriving' THEN 'pending' ELSE 'failed' END)`,
  ],
  // Wallets (by their ledger accounts) whose sums of an hour are not those of their transactions.
  verify_wallet_hours: [
    'the sums of an hour differ from the transactions of the wallet',
    hoursOf('wallet_hour', 'ledger_account', ['placed_at_ms / 3600000']),
  ],
  // Accounts whose sums of an hour, or of all hours, are not those of their transactions.
  verify_account_hours: [
    'the sums of an hour, or of all hours, differ from the transactions of the account',
    hoursOf('account_hour', 'account_id', ['placed_at_ms / 3600000', '-1']),
  ],
};
