import { asFields } from '../db/fields.ts';
import { statement, tableLock } from '../db/statement.ts';
import type { NodeInfo } from '../lightning/node.ts';

export type LedgerNodeRow = {
  /** `lnd_…`, the API's `ln_node_id`. */
  id: string;
  ledgerAccount: number;
  pubkey: string | null;
  network: NodeInfo['network'] | null;
  /** A draining node gets no new wallets. */
  state: 'active' | 'draining';
  /** Unix seconds. */
  createdAt: number;
};

/** Instances that add or bind nodes at the same time do so one after the other. */
export const lockNodes = tableLock('node_lock', 'lightning_node');

/** All nodes, in the order in which they were added. */
export const listNodes = statement<LedgerNodeRow>(
  'node_list',
  `SELECT ${asFields('id, ledger_account, pubkey, network, state, created_at')} FROM lightning_node ORDER BY ledger_account DESC`,
);

/** The accounts of nodes have the numbers 1, -1, -2, … */
export const openNodeAccount = statement<{ id: number }>(
  'node_open_account',
  `INSERT INTO ledger_account (id, kind)
   SELECT CASE WHEN min(id) > 0 THEN -1 ELSE min(id) - 1 END, 'node' FROM ledger_account RETURNING id`,
);

export const insertNode = statement(
  'node_insert',
  `INSERT INTO lightning_node (id, ledger_account, state, created_at) VALUES ($1, $2, 'active', $3)`,
);

export const bindNode = statement(
  'node_bind',
  `UPDATE lightning_node SET pubkey = $2, network = $3, event_position = $4, start_position = $4, start_settled_at = $5
   WHERE id = $1 AND pubkey IS NULL`,
);

/** `skipped_until`: settlements up to this time are not for this ledger. NULL while the node has the settlement at the start position. */
export const readPosition = statement<{ event_position: string | null; skipped_until: number | null }>(
  'node_read_position',
  `SELECT event_position, CASE WHEN start_position IS NULL THEN start_settled_at END AS skipped_until FROM lightning_node WHERE id = $1`,
);

/** Moves the position ($2), which the node does not have, back to the start; if it is the start, to the node's first event. */
export const rewindPosition = statement(
  'node_rewind_position',
  `UPDATE lightning_node SET
     event_position = CASE WHEN event_position = start_position THEN NULL ELSE start_position END,
     start_position = CASE WHEN event_position = start_position THEN NULL ELSE start_position END
   WHERE id = $1 AND event_position IS NOT DISTINCT FROM $2`,
);

export const storePosition = statement('node_store_position', 'UPDATE lightning_node SET event_position = $2 WHERE id = $1');

/** Changes one row in every case: an event that is read again, after a restore of the node, keeps its row. */
export const setEventAside = statement(
  'unbooked_event_set_aside',
  `INSERT INTO unbooked_event (id, event, reason, set_aside_at, node_id) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (id) DO UPDATE SET reason = excluded.reason`,
);

export const listUnbookedAfter = statement<{ id: string; event: string }>(
  'unbooked_event_list',
  'SELECT id, event FROM unbooked_event WHERE node_id = $1 AND id > $2 ORDER BY id LIMIT $3',
);

export const removeUnbooked = statement('unbooked_event_forget', 'DELETE FROM unbooked_event WHERE id = $1');
