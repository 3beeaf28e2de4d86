import { statement } from '../db/statement.ts';
import type { ListOwner } from './wallet-transactions.sql.ts';

/** The sums of an owner's bookings in a number of hours. */
export type SumRow = {
  /** The number of the hour, or of the day, since the Unix epoch (UTC). */
  unit: number;
  in_msat: number;
  in_count: number;
  out_msat: number;
  out_count: number;
  fees_msat: number;
  fees_count: number;
};

const TABLES = { wallet: ['wallet_hour', 'ledger_account'], account: ['account_hour', 'account_id'] } as const;

const sumOf = (name: string) => `CAST(sum(${name}) AS BIGINT) AS ${name}`;

const SUMS = ['in_msat', 'in_count', 'out_msat', 'out_count', 'fees_msat', 'fees_count'].map(sumOf).join(', ');

const sumsOf = (owner: ListOwner, unit: 'hour' | 'day') => {
  const [table, column] = TABLES[owner];
  const key = unit === 'hour' ? 'hour' : 'hour / 24';
  return statement<SumRow>(
    `journal_sums_by_${unit}_of_${owner}`,
    `SELECT ${key} AS unit, ${SUMS} FROM ${table} WHERE ${column} = $1 AND hour >= $2 AND hour < $3 GROUP BY ${key} ORDER BY ${key}`,
  );
};

const netSince = (owner: ListOwner) => {
  const [table, column] = TABLES[owner];
  return statement<{ net_msat: number }>(
    `journal_net_since_of_${owner}`,
    `SELECT CAST(coalesce(sum(in_msat - out_msat - fees_msat), 0) AS BIGINT) AS net_msat FROM ${table} WHERE ${column} = $1 AND hour >= $2`,
  );
};

/** Lets SQLite use an index of unsettled transactions: it does not conclude that another status is not this one. */
const UNSETTLED = "status <> 'settled'";

/** The failed payments that were started in a period (Unix milliseconds), by hour or by day. */
const failuresOf = (owner: ListOwner, unit: 'hour' | 'day') =>
  statement<{ unit: number; n: number }>(
    `journal_failures_by_${unit}_of_${owner}`,
    `SELECT placed_at_ms / ${unit === 'hour' ? 3_600_000 : 86_400_000} AS unit, count(*) AS n FROM wallet_transaction
     WHERE ${TABLES[owner][1]} = $1 AND ${UNSETTLED} AND status = 'failed' AND placed_at_ms >= $2 AND placed_at_ms < $3
     GROUP BY placed_at_ms / ${unit === 'hour' ? 3_600_000 : 86_400_000}`,
  );

const ofOwner = (owner: ListOwner) => ({
  /** Hours from $2 to $3, the last one excluded. */
  sums: { hour: sumsOf(owner, 'hour'), day: sumsOf(owner, 'day') },
  netSince: netSince(owner),
  failures: { hour: failuresOf(owner, 'hour'), day: failuresOf(owner, 'day') },
});

export const sums = { wallet: ofOwner('wallet'), account: ofOwner('account') };

/** The balance after the newest booking of a wallet. */
export const balanceOfWallet = statement<{ balance_msat: number }>(
  'journal_balance_of_wallet',
  `SELECT balance_msat FROM wallet_transaction WHERE ledger_account = $1 AND status = 'settled' ORDER BY position DESC LIMIT 1`,
);

/** The sum of the balances of an account's wallets. */
export const balanceOfAccount = statement<{ balance_msat: number }>(
  'journal_balance_of_account',
  'SELECT in_msat - out_msat - fees_msat AS balance_msat FROM account_hour WHERE account_id = $1 AND hour = -1',
);

const held = (owner: ListOwner) =>
  statement<{ held_msat: number }>(
    `journal_held_of_${owner}`,
    `SELECT CAST(coalesce(sum(h.amount_msat), 0) AS BIGINT) AS held_msat FROM wallet_transaction x JOIN ledger_hold h ON h.id = x.lntx
     WHERE x.${TABLES[owner][1]} = $1 AND x.${UNSETTLED} AND x.status = 'pending' AND h.state = 'open'`,
  );

/** What pending payments hold. */
export const heldMsat = { wallet: held('wallet'), account: held('account') };

export const countWallets = statement<{ n: number }>('journal_count_wallets', 'SELECT count(*) AS n FROM wallet WHERE account_id = $1');
