import { allowsInSql } from '../accounts/account-states.ts';
import { asFields, type RowOf } from '../db/fields.ts';
import { listStatements } from '../db/list.ts';
import { statement } from '../db/statement.ts';
import { type WalletUse, walletsThatMayInSql } from './wallet-conditions.ts';
import type { Wallet } from './wallets.ts';

/** A row is the object itself: no column may be NULL. */
type WalletRow = RowOf<Wallet>;

const WALLET = `SELECT ${asFields('id, account_id, ledger_account, node_id, user_label, status, created_at, updated_at')} FROM wallet`;

export const openLedgerAccount = statement<{ id: number }>(
  'wallet_open_ledger_account',
  `INSERT INTO ledger_account (kind) VALUES ('wallet') RETURNING id`,
);

/** Gives a new wallet the limited owners that it has from its account. Runs after {@link insertWallet}, which locks the account. */
export const inheritLimits = statement(
  'wallet_inherit_limits',
  `UPDATE wallet AS w SET limit_owners = (SELECT trim(coalesce(l.owner_id, '') || coalesce((SELECT string_agg(' ' || owner_id, '') FROM (
       SELECT owner_id FROM spending_limit above WHERE ' ' || a.ancestors || ' ' LIKE '% ' || above.owner_id || ' %' ORDER BY owner_id) AS x), ''))
     FROM account a LEFT JOIN spending_limit l ON l.owner_id = a.id WHERE a.id = w.account_id)
   WHERE w.id = $1 AND EXISTS (SELECT 1 FROM spending_limit)`,
);

export const insertWallet = statement(
  'wallet_insert',
  `INSERT INTO wallet (id, account_id, ledger_account, user_label, status, created_at, updated_at, node_id)
   VALUES ($1, $2, $3, $4, 'active', $5, $5, $6)`,
);

export const findWallet = statement<WalletRow>('wallet_find', `${WALLET} WHERE id = $1`);

export const findWallets = statement<WalletRow>('wallet_find_many', `${WALLET} WHERE id = ANY($1::text[])`);

/** Returns the wallets of ledger accounts. */
export const ownersOfLedgerAccounts = statement<{ ledgerAccount: number; id: string }>(
  'wallet_owners_of_ledger_accounts',
  'SELECT ledger_account AS "ledgerAccount", id FROM wallet WHERE ledger_account = ANY($1::bigint[])',
);

export const listWallets = listStatements<WalletRow>('wallet_list', {
  select: WALLET,
  table: 'wallet',
  where: 'account_id = $1',
  filters: 1,
});

/** Returns the wallets of the account among these. */
export const listWalletsById = listStatements<WalletRow>('wallet_list_by_id', {
  select: WALLET,
  table: 'wallet',
  where: 'account_id = $1 AND id = ANY($2::text[])',
  filters: 2,
});

/** NULL leaves a column unchanged. Changes no row if nothing would differ. */
export const updateWallet = statement(
  'wallet_update',
  `UPDATE wallet SET user_label = coalesce(CAST($2 AS TEXT), user_label), status = coalesce(CAST($3 AS TEXT), status), updated_at = $4
   WHERE id = $1 AND (user_label <> coalesce(CAST($2 AS TEXT), user_label) OR status <> coalesce(CAST($3 AS TEXT), status))`,
);

/**
 * Returns the wallets among these that may send or receive money, and locks them until the transaction ends. The lock of the account is the weakest
 * one, which conflicts only with a change of its status: a stronger one would wait for changes of the account's keys.
 */
function walletsThatMay(use: WalletUse) {
  const wallets = walletsThatMayInSql('= ANY($1::text[])', use);
  return statement<{ id: string }>(`wallet_may_${use}`, `${wallets} FOR SHARE OF w FOR KEY SHARE OF a`);
}

export const walletsThat = {
  send: walletsThatMay('send'),
  sendWithinLimits: walletsThatMay('sendWithinLimits'),
  receive: walletsThatMay('receive'),
};

/** Returns the texts among these that are the id of a wallet and, after a space, its limited owners. */
export const walletsWithOwners = statement<{ id: string }>('wallet_with_owners', {
  sqlite: `SELECT n.value AS id FROM json_each($1) AS n JOIN wallet w ON w.id = substr(n.value, 1, instr(n.value, ' ') - 1)
    WHERE w.limit_owners = substr(n.value, instr(n.value, ' ') + 1)`,
  postgres: `SELECT n.id FROM unnest($1::text[]) AS n (id) JOIN wallet w ON w.id = split_part(n.id, ' ', 1)
    WHERE w.limit_owners = substr(n.id, position(' ' IN n.id) + 1)`,
});

/** The state of the account of a wallet if it does not allow receiving. */
export const findReceivingRestricted = statement<{ status: string }>(
  'wallet_find_receiving_restricted',
  `SELECT a.status FROM wallet w JOIN account a ON a.id = w.account_id WHERE w.id = $1 AND NOT (${allowsInSql('a.status', 'receive')})`,
);

/** The wallets among these whose account does not allow receiving. */
export const listReceivingRestricted = statement<{ id: string }>(
  'wallet_list_receiving_restricted',
  `SELECT w.id FROM wallet w JOIN account a ON a.id = w.account_id WHERE w.id = ANY($1::text[]) AND NOT (${allowsInSql('a.status', 'receive')})`,
);

/**
 * The active nodes with the number of their wallets, in the order in which they were added. A node that was never reached gets no wallets
 * unless it is the first.
 */
export const countWalletsOfNodes = statement<{ id: string; n: number }>(
  'wallet_count_of_nodes',
  `SELECT id, (SELECT count(*) FROM wallet WHERE wallet.node_id = lightning_node.id) AS n FROM lightning_node
   WHERE state = 'active' AND (pubkey IS NOT NULL OR ledger_account = 1) ORDER BY ledger_account DESC`,
);

/** Returns the nodes among these that get new wallets, and prevents others from changing them until the transaction ends. */
export const activeNodes = statement<{ id: string }>(
  'wallet_active_nodes',
  `SELECT id FROM lightning_node WHERE id = ANY($1::text[]) AND state = 'active' FOR SHARE`,
);

/** The first node of the ledger, if it is bound to a Lightning node. */
export const findFirstBoundNode = statement<{ id: string; ledgerAccount: number; network: string; pubkey: string }>(
  'wallet_find_first_bound_node',
  `SELECT ${asFields('id, ledger_account, network, pubkey')} FROM lightning_node WHERE pubkey IS NOT NULL AND ledger_account = 1`,
);
