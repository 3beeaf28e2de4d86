import { newKeyRow } from '../accounts/accounts.ts';
import { newKeyText } from '../accounts/keys.ts';
import type { SqlReader, Tx } from '../db/database.ts';
import { eventRow } from '../journal/events.ts';
import { searchRows } from '../journal/search-words.ts';
import { invariant } from '../kernel/assert.ts';
import type { Clock } from '../kernel/clock.ts';
import type { RowWrite } from '../ledger/ledger.ts';
import { findFirstBoundNode, findWallet, insertWallet, openLedgerAccount, updateWallet } from './wallets.sql.ts';
import { searchedWallet, type Wallet } from './wallets.ts';

/** Opens the ledger account of a wallet that will be imported. Until its posting it has no entry and no wallet. */
export async function reserveLedgerAccount(tx: Tx): Promise<number> {
  const account = await tx.first(openLedgerAccount);
  invariant(account, 'the insert returns the account');
  return account.id;
}

/** Returns whether no wallet has the id. */
export async function isWalletIdFree(reader: SqlReader, id: string): Promise<boolean> {
  return (await reader.first(findWallet, id)) === undefined;
}

/** The keys that only identify a wallet. */
const IDENTIFIERS = ['wallet_lnurl_withdraw', 'wallet_lnurl_pay'] as const;

/**
 * Returns the rows and events of a wallet that is imported, for the posting that credits it. Its keys with permissions come from the source;
 * the public identifiers are new, unless the source has some of their kind.
 */
export function importedWallet(
  clock: Clock,
  wallet: Wallet,
  kindsOfSource: ReadonlySet<string> = new Set(),
): { readonly rows: readonly RowWrite[]; readonly events: readonly RowWrite[] } {
  const { id, accountId, ledgerAccount, userLabel, createdAt, nodeId } = wallet;
  const owner = { accountId, walletId: id };
  const identifiers = IDENTIFIERS.filter((kind) => !kindsOfSource.has(kind)).map((kind) => newKeyRow(clock, newKeyText(kind), owner).row);
  return {
    rows: [
      {
        statement: insertWallet,
        parameters: [id, accountId, ledgerAccount, userLabel, createdAt, nodeId],
        onMiss: () => new Error('the wallet was not stored'),
      },
      ...(wallet.status === 'active' ? [] : [inactiveRow(wallet)]),
      ...identifiers,
      ...searchRows(searchedWallet(wallet)),
    ],
    events: [eventRow(clock, { type: 'wallet_created', owner: wallet, subject: id })],
  };
}

function inactiveRow({ id, status, updatedAt }: Wallet): RowWrite {
  return {
    statement: updateWallet,
    parameters: [id, null, status, updatedAt],
    onMiss: () => new Error('the status of the wallet was not stored'),
  };
}

/** A node of the ledger that is bound to a Lightning node. */
export interface BoundNode {
  readonly id: string;
  readonly ledgerAccount: number;
  readonly network: string;
  readonly pubkey: string;
}

/** Returns the first node of the ledger; undefined unless it was reached before. */
export function firstBoundNode(database: SqlReader): Promise<BoundNode | undefined> {
  return database.first(findFirstBoundNode);
}
