import { statement } from '../../core/db/statement.ts';

export const beginTree = statement<{ id: number }>(
  'proof_begin_tree',
  `INSERT INTO proof_tree (state, seed) VALUES ('building', $1) RETURNING id`,
);

/**
 * Sets the state of a tree that is being built: at the begin of each transaction that writes to it, and at its end. Locks the tree until the
 * commit, and changes no row when another instance has dropped the tree: so no leaf is written while that instance deletes them.
 */
export const setTreeState = statement('proof_set_tree_state', `UPDATE proof_tree SET state = $2 WHERE id = $1 AND state = 'building'`);

/** Rows as JSON, because both databases accept a list of texts as a parameter. */
export const insertLeaves = statement('proof_insert_leaves', {
  sqlite: `INSERT INTO proof_leaf (tree, sort_key, wallet_id, balance_msat, head)
    SELECT $1, unhex(value ->> 0), value ->> 1, value ->> 2, unhex(value ->> 3) FROM json_each($2)`,
  postgres: `INSERT INTO proof_leaf (tree, sort_key, wallet_id, balance_msat, head)
    SELECT $1, decode(r ->> 0, 'hex'), r ->> 1, (r ->> 2)::bigint, decode(r ->> 3, 'hex') FROM unnest($2::json[]) AS r`,
});

export const insertNodes = statement('proof_insert_nodes', {
  sqlite: `INSERT INTO proof_node (tree, level, position, sum_msat, hash, first_sort_key)
    SELECT $1, value ->> 0, value ->> 1, value ->> 2, unhex(value ->> 3), unhex(value ->> 4) FROM json_each($2)`,
  postgres: `INSERT INTO proof_node (tree, level, position, sum_msat, hash, first_sort_key)
    SELECT $1, (r ->> 0)::bigint, (r ->> 1)::bigint, (r ->> 2)::bigint, decode(r ->> 3, 'hex'), decode(r ->> 4, 'hex')
    FROM unnest($2::json[]) AS r`,
});

/** A published epoch. `previous_root` is 32 zero bytes for the first one. */
export type EpochRow = {
  epoch: number;
  created_at: number;
  leaves: number;
  total_msat: number;
  tree_hash: Uint8Array;
  previous_root: Uint8Array;
  root: Uint8Array;
  tree: number;
};

export const insertEpoch = statement(
  'proof_insert_epoch',
  `INSERT INTO proof_epoch (epoch, created_at, leaves, total_msat, tree_hash, previous_root, root, tree)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

const EPOCH = 'SELECT epoch, created_at, leaves, total_msat, tree_hash, previous_root, root, tree FROM proof_epoch';

export const lastEpoch = statement<EpochRow>('proof_last_epoch', `${EPOCH} ORDER BY epoch DESC LIMIT 1`);

export const readEpoch = statement<EpochRow>('proof_read_epoch', `${EPOCH} WHERE epoch = $1`);

const pageOfEpochs = (order: 'asc' | 'desc') =>
  statement<EpochRow>(
    `proof_list_epochs_${order}`,
    `${EPOCH} WHERE epoch ${order === 'asc' ? '>' : '<'} $1 ORDER BY epoch ${order} LIMIT $2`,
  );

/** The epochs after a number. */
export const listEpochs = { asc: pageOfEpochs('asc'), desc: pageOfEpochs('desc') };

export const readSeed = statement<{ seed: Uint8Array }>(
  'proof_read_seed',
  `SELECT seed FROM proof_tree WHERE id = $1 AND state = 'complete'`,
);

/** The block that contains a sort key. */
export const blockOf = statement<{ position: number; first_sort_key: Uint8Array }>(
  'proof_block_of',
  `SELECT position, first_sort_key FROM proof_node WHERE tree = $1 AND first_sort_key <= $2 ORDER BY first_sort_key DESC LIMIT 1`,
);

export type Leaf = {
  wallet_id: string;
  /** The posted balance, including held money: until a payment succeeds, its money belongs to the customer. */
  balance_msat: number;
  /** The hash of the wallet's last ledger entry; 32 zero bytes before the first. */
  head: Uint8Array;
};

export const leavesFrom = statement<Leaf & { sort_key: Uint8Array }>(
  'proof_leaves_from',
  'SELECT sort_key, wallet_id, balance_msat, head FROM proof_leaf WHERE tree = $1 AND sort_key >= $2 ORDER BY sort_key LIMIT $3',
);

export const readNode = statement<{ sum_msat: number; hash: Uint8Array }>(
  'proof_read_node',
  'SELECT sum_msat, hash FROM proof_node WHERE tree = $1 AND level = $2 AND position = $3',
);

/** All trees except those of the epochs from $1 on: old ones, and those of interrupted runs. */
export const unkeptTrees = statement<{ id: number }>(
  'proof_unkept_trees',
  'SELECT id FROM proof_tree WHERE id NOT IN (SELECT tree FROM proof_epoch WHERE epoch >= $1) ORDER BY id',
);

/**
 * Changes no row when another instance has published the tree since it was listed. The state is checked, because PostgreSQL checks a locked
 * row again after its change, but not a subquery.
 */
export const dropTree = statement(
  'proof_drop_tree',
  `UPDATE proof_tree SET state = 'dropped'
   WHERE id = $1 AND (state <> 'complete' OR id IN (SELECT tree FROM proof_epoch WHERE epoch < $2))`,
);

export const deleteLeaves = statement(
  'proof_delete_leaves',
  `DELETE FROM proof_leaf WHERE tree = $1 AND sort_key IN (SELECT sort_key FROM proof_leaf WHERE tree = $1 ORDER BY sort_key LIMIT $2)`,
);

export const deleteNodes = statement(
  'proof_delete_nodes',
  `DELETE FROM proof_node WHERE tree = $1 AND (level, position) IN
     (SELECT level, position FROM proof_node WHERE tree = $1 ORDER BY level, position LIMIT $2)`,
);

export const deleteTree = statement('proof_delete_tree', 'DELETE FROM proof_tree WHERE id = $1');

/** The wallets of ledger accounts. */
export const walletsOfAccounts = statement<{ account: number; wallet_id: string }>(
  'proof_wallets_of_accounts',
  'SELECT ledger_account AS account, id AS wallet_id FROM wallet WHERE ledger_account = ANY($1::bigint[])',
);
