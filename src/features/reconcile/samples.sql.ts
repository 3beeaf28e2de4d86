import { statement } from '../../core/db/statement.ts';

export const storeLedger = statement(
  'reconcile_sample_ledger',
  `INSERT INTO ledger_sample (hour, sampled_at, customers_msat, suspense_msat) VALUES ($1, $2, $3, $4)
   ON CONFLICT (hour) DO UPDATE SET sampled_at = excluded.sampled_at, customers_msat = excluded.customers_msat,
     suspense_msat = excluded.suspense_msat`,
);

export const storeNode = statement(
  'reconcile_sample_node',
  `INSERT INTO node_sample (hour, node_id, sampled_at, node_msat, held_msat) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (node_id, hour) DO UPDATE SET sampled_at = excluded.sampled_at, node_msat = excluded.node_msat,
     held_msat = excluded.held_msat`,
);

export type LedgerSampleRow = { hour: number; sampled_at: number; customers_msat: number; suspense_msat: number };

export const ledgerSamples = statement<LedgerSampleRow>(
  'reconcile_ledger_samples',
  'SELECT hour, sampled_at, customers_msat, suspense_msat FROM ledger_sample WHERE hour >= $1 ORDER BY hour',
);

export type NodeSampleRow = { hour: number; node_id: string; sampled_at: number; node_msat: number };

export const nodeSamples = statement<NodeSampleRow>(
  'reconcile_node_samples',
  'SELECT hour, node_id, sampled_at, node_msat FROM node_sample WHERE node_id = $1 AND hour >= $2 ORDER BY hour',
);

/** The last sample of a node before an hour. */
export const nodeSampleBefore = statement<NodeSampleRow>(
  'reconcile_node_sample_before',
  'SELECT hour, node_id, sampled_at, node_msat FROM node_sample WHERE node_id = $1 AND hour < $2 ORDER BY hour DESC LIMIT 1',
);
