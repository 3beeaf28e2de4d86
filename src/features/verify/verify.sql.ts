import { statement } from '../../core/db/statement.ts';
import type { EpochRow } from '../proof/proof.sql.ts';

export type VerifiedTransfer = {
  position: number;
  id: string;
  amount_msat: number;
  created_at_ms: number;
  from_account: number;
  from_entry: number;
  from_balance_msat: number;
  from_hash: Uint8Array;
  from_type: string | null;
  from_lntx: string | null;
  to_account: number;
  to_entry: number;
  to_balance_msat: number;
  to_hash: Uint8Array;
  to_type: string | null;
  to_lntx: string | null;
  memo: string | null;
  pass_thru: string | null;
};

/** A page in the order of positions: each account's entries come in the order in which they were made. */
export const transfersAfter = statement<VerifiedTransfer>(
  'verify_transfers',
  `SELECT position, id, amount_msat, created_at_ms, memo, pass_thru,
     from_account, from_entry, from_balance_msat, from_hash, from_type, from_lntx,
     to_account, to_entry, to_balance_msat, to_hash, to_type, to_lntx
   FROM ledger_transfer WHERE position > $1 ORDER BY position LIMIT $2`,
);

export const countTransfers = statement<{ n: number }>('verify_count', 'SELECT count(*) AS n FROM ledger_transfer');

export type VerifiedAccount = {
  id: number;
  kind: string;
  balance_msat: number;
  held_msat: number;
  entries: number;
  head: Uint8Array | null;
};

export const allAccounts = statement<VerifiedAccount>(
  'verify_accounts',
  'SELECT id, kind, balance_msat, held_msat, entries, head FROM ledger_account ORDER BY id',
);

/** PostgreSQL sums bigints to a decimal, which is cast back: what is held fits, because the balance above it does. */
export const openHolds = statement<{ account: number; held_msat: number }>(
  'verify_open_holds',
  `SELECT account, CAST(sum(amount_msat) AS BIGINT) AS held_msat FROM ledger_hold WHERE state = 'open' GROUP BY account`,
);

export const epochsAfter = statement<EpochRow>(
  'verify_epochs',
  `SELECT epoch, created_at, leaves, total_msat, tree_hash, previous_root, root, tree
   FROM proof_epoch WHERE epoch > $1 ORDER BY epoch LIMIT $2`,
);

export type VerifiedLeaf = { sort_key: Uint8Array; wallet_id: string; balance_msat: number; head: Uint8Array; account: number | null };

export const leavesAfter = statement<VerifiedLeaf>(
  'verify_leaves',
  `SELECT f.sort_key, f.wallet_id, f.balance_msat, f.head, w.ledger_account AS account
   FROM proof_leaf f LEFT JOIN wallet w ON w.id = f.wallet_id
   WHERE f.tree = $1 AND f.sort_key > $2 ORDER BY f.sort_key LIMIT $3`,
);

export const walletsAfter = statement<{ id: string; account: number; created_at: number }>(
  'verify_wallets',
  'SELECT id, ledger_account AS account, created_at FROM wallet WHERE ledger_account > $1 ORDER BY ledger_account LIMIT $2',
);
