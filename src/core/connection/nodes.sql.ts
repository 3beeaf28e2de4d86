import { statement } from '../db/statement.ts';

export type LedgerNodeRow = {
  id: string;
  ledger_account: number;
  pubkey: string | null;
  network: string | null;
  state: 'active' | 'draining';
  created_at: number;
};

/** All nodes, in the order in which they were added. */
export const listNodes = statement<LedgerNodeRow>(
  'node_list',
  'SELECT id, ledger_account, pubkey, network, state, created_at FROM lightning_node ORDER BY ledger_account DESC',
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
  'UPDATE lightning_node SET pubkey = $2, network = $3, event_position = $4 WHERE id = $1 AND pubkey IS NULL',
);

export const readPosition = statement<{ event_position: string | null }>(
  'node_read_position',
  'SELECT event_position FROM lightning_node WHERE id = $1',
);

/** NULL deletes the position. */
export const storePosition = statement('node_store_position', 'UPDATE lightning_node SET event_position = $2 WHERE id = $1');
