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
};

const TABLES = { wallet: ['wallet_hour', 'ledger_account'], account: ['account_hour', 'account_id'] } as const;

const sumOf = (name: string) => `CAST(sum(${name}) AS BIGINT) AS ${name}`;

const SUMS = ['in_msat', 'in_count', 'out_msat', 'out_count', 'fees_msat'].map(sumOf).join(', ');

/** Hours from $2 to $3, the last one excluded, in units of $4 hours. */
const sumsOf = (owner: ListOwner) => {
  const [table, column] = TABLES[owner];
  return statement<SumRow>(
    `journal_sums_of_${owner}`,
    `SELECT hour / $4 AS unit, ${SUMS} FROM ${table} WHERE ${column} = $1 AND hour >= $2 AND hour < $3 GROUP BY 1 ORDER BY 1`,
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

/** The failed payments that were started in a period (Unix milliseconds), in units of $4 milliseconds. */
const failuresOf = (owner: ListOwner) =>
  statement<{ unit: number; failed_count: number }>(
    `journal_failures_of_${owner}`,
    `SELECT placed_at_ms / $4 AS unit, count(*) AS failed_count FROM wallet_transaction
     WHERE ${TABLES[owner][1]} = $1 AND ${UNSETTLED} AND status = 'failed' AND placed_at_ms >= $2 AND placed_at_ms < $3 GROUP BY 1`,
  );

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

/** What pending payments hold. */
const held = (owner: ListOwner) =>
  statement<{ held_msat: number }>(
    `journal_held_of_${owner}`,
    `SELECT CAST(coalesce(sum(h.amount_msat), 0) AS BIGINT) AS held_msat FROM wallet_transaction x JOIN ledger_hold h ON h.id = x.lntx
     WHERE x.${TABLES[owner][1]} = $1 AND x.${UNSETTLED} AND x.status = 'pending' AND h.state = 'open'`,
  );

const ofOwner = (owner: ListOwner) => ({
  sums: sumsOf(owner),
  failures: failuresOf(owner),
  netSince: netSince(owner),
  held: held(owner),
});

export const sums = { wallet: ofOwner('wallet'), account: ofOwner('account') };

export const countWallets = statement<{ n: number }>('journal_count_wallets', 'SELECT count(*) AS n FROM wallet WHERE account_id = $1');
