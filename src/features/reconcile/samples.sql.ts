import { statement } from '../../core/db/statement.ts';

export const storeLedger = statement(
  'reconcile_sample_ledger',
  `INSERT INTO ledger_sample (hour, sampled_at, customers_msat, suspense_msat) VALUES ($1, $2, $3, $4)
   ON CONFLICT (hour) DO UPDATE SET sampled_at = excluded.sampled_at, customers_msat = excluded.customers_msat,
     suspense_msat = excluded.suspense_msat`,
);

export const storeNode = statement(
  'reconcile_sample_node',
  `INSERT INTO node_sample (hour, node_id, sampled_at, node_msat) VALUES ($1, $2, $3, $4)
   ON CONFLICT (node_id, hour) DO UPDATE SET sampled_at = excluded.sampled_at, node_msat = excluded.node_msat`,
);

export type SampleRow = { at: number; assets_msat: number | null; liabilities_msat: number; suspense_msat: number; is_complete: number };

/**
 * The last sample from an hour ($1) on in each step of $2 hours, oldest first. The assets are the sum of the last samples of all nodes until
 * then; the sample is complete if each of them is of that hour.
 */
export const listSamples = statement<SampleRow>(
  'reconcile_samples',
  `SELECT l.sampled_at AS at, l.customers_msat AS liabilities_msat, l.suspense_msat,
     (SELECT CAST(sum((SELECT s.node_msat FROM node_sample s WHERE s.node_id = n.id AND s.hour <= l.hour ORDER BY s.hour DESC LIMIT 1)) AS BIGINT)
      FROM lightning_node n) AS assets_msat,
     CASE WHEN EXISTS (SELECT 1 FROM lightning_node n
       WHERE NOT EXISTS (SELECT 1 FROM node_sample s WHERE s.node_id = n.id AND s.hour = l.hour)) THEN 0 ELSE 1 END AS is_complete
   FROM ledger_sample l
   WHERE l.hour IN (SELECT max(hour) FROM ledger_sample WHERE hour >= $1 GROUP BY hour / CAST($2 AS BIGINT)) ORDER BY l.hour`,
);

export type LastSample = { assets_msat: number; assets_at: number };

export const lastSample = statement<LastSample>(
  'reconcile_last_sample',
  'SELECT node_msat AS assets_msat, sampled_at AS assets_at FROM node_sample WHERE node_id = $1 ORDER BY hour DESC LIMIT 1',
);
