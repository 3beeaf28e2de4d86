import { statement } from '../../core/db/statement.ts';

/** What came in and went out over Lightning. */
export type FlowRow = {
  in_msat: number;
  in_count: number;
  out_msat: number;
  out_count: number;
  routing_msat: number;
  earned_msat: number;
};

const sum = (value: string, condition: string) => `CAST(coalesce(sum(CASE WHEN ${condition} THEN ${value} ELSE 0 END), 0) AS BIGINT)`;

// Nodes have the ledger accounts up to 1, the fees that the service earned have 3. Balances that were imported arrived before.
const IN = "other_account <= 1 AND amount_msat > 0 AND type <> 'opening_balance'";
const OUT = "other_account <= 1 AND amount_msat < 0 AND type <> 'network_fee'";

/** The sums of the bookings after position $1, up to position $2, that were made from $3 until before $4 (Unix milliseconds). */
export const sumBookings = statement<FlowRow>(
  'flows_sum_bookings',
  `SELECT ${sum('amount_msat', IN)} AS in_msat, ${sum('1', IN)} AS in_count, ${sum('-amount_msat', OUT)} AS out_msat, ${sum('1', OUT)} AS out_count,
     ${sum('-amount_msat', "other_account <= 1 AND type = 'network_fee'")} AS routing_msat, ${sum('-amount_msat', 'other_account = 3')} AS earned_msat
   FROM wallet_transaction
   WHERE position > $1 AND position <= $2 AND status = 'settled' AND placed_at_ms >= $3 AND placed_at_ms < $4`,
);

/** The amounts that one node received and sent, including routing fees. */
export type NodeFlowRow = { ledger_account: number; in_msat: number; out_msat: number };

/** The same bookings by node. */
export const sumByNode = statement<NodeFlowRow>(
  'flows_sum_by_node',
  `SELECT other_account AS ledger_account, ${sum('amount_msat', IN)} AS in_msat, ${sum('-amount_msat', 'amount_msat < 0')} AS out_msat
   FROM wallet_transaction
   WHERE position > $1 AND position <= $2 AND status = 'settled' AND placed_at_ms >= $3 AND placed_at_ms < $4 AND other_account <= 1
   GROUP BY other_account`,
);

/** The first row from a position on. */
export const firstFrom = statement<{ position: number; placed_at_ms: number }>(
  'flows_first_from',
  'SELECT position, placed_at_ms FROM wallet_transaction WHERE position >= $1 ORDER BY position LIMIT 1',
);

export const lastRow = statement<{ position: number; placed_at_ms: number }>(
  'flows_last_row',
  'SELECT position, placed_at_ms FROM wallet_transaction ORDER BY position DESC LIMIT 1',
);

export const storeHour = statement(
  'flows_store_hour',
  `INSERT INTO flow_hour (hour, in_msat, in_count, out_msat, out_count, routing_msat, earned_msat) VALUES ($1, $2, $3, $4, $5, $6, $7)
   ON CONFLICT (hour) DO UPDATE SET in_msat = excluded.in_msat, in_count = excluded.in_count, out_msat = excluded.out_msat,
     out_count = excluded.out_count, routing_msat = excluded.routing_msat, earned_msat = excluded.earned_msat`,
);

export const storeNodeHour = statement(
  'flows_store_node_hour',
  `INSERT INTO node_flow_hour (ledger_account, hour, in_msat, out_msat) VALUES ($1, $2, $3, $4)
   ON CONFLICT (ledger_account, hour) DO UPDATE SET in_msat = excluded.in_msat, out_msat = excluded.out_msat`,
);

const total = (name: string) => `CAST(coalesce(sum(${name}), 0) AS BIGINT) AS ${name}`;

/** The hours from $1 until before $2. */
export const sumHours = statement<FlowRow>(
  'flows_sum_hours',
  `SELECT ${['in_msat', 'in_count', 'out_msat', 'out_count', 'routing_msat', 'earned_msat'].map(total).join(', ')}
   FROM flow_hour WHERE hour >= $1 AND hour < $2`,
);

/** The hours of a node ($1) from $2 until before $3, and its first hour with a booking. */
export const sumNodeHours = statement<{ first_hour: number | null; in_msat: number; out_msat: number }>(
  'flows_sum_node_hours',
  `SELECT (SELECT min(f.hour) FROM node_flow_hour f WHERE f.ledger_account = $1) AS first_hour, ${total('in_msat')}, ${total('out_msat')}
   FROM node_flow_hour WHERE ledger_account = $1 AND hour >= $2 AND hour < $3`,
);

/** Payments over Lightning with ids from $1 until before $2 that have failed, by reason, the most frequent first. */
export const countFailures = statement<{ reason: string; count: number }>(
  'flows_count_failures',
  `SELECT failure_reason AS reason, count(*) AS count FROM payment
   WHERE state = 'failed' AND id >= $1 AND id < $2 AND invoice_id IS NULL GROUP BY 1 ORDER BY 2 DESC, 1`,
);
