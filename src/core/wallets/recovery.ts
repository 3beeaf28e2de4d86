import { openAccount } from '../accounts/accounts.ts';
import type { SqlReader, Tx } from '../db/database.ts';
import { readFact, writeFact } from '../db/facts.sql.ts';
import { writeRows } from '../db/row-write.ts';
import { eventRow } from '../journal/events.ts';
import { searchRows } from '../journal/search-words.ts';
import { invariant } from '../kernel/assert.ts';
import type { Clock } from '../kernel/clock.ts';
import { isWalletId } from '../kernel/ids.ts';
import { findWallet } from './wallets.sql.ts';
import { insertWallet, searchedWallet, type Wallet, type WalletDependencies } from './wallets.ts';

/**
 * Returns a wallet that the records of a node name. One that the ledger has lost is created under the account of recovered wallets, without keys: the
 * operator creates them.
 */
export type RecoverWallet = (walletId: string, nodeId: string) => Promise<Wallet>;

/** The label of recovered wallets. */
const LABEL = 'recovered';
/** The facts about the wallet that was recovered last, and about the account of all. */
const LAST = 'recovered_wallet';
const ACCOUNT = 'recovered_account';

type RecoveryDependencies = Pick<WalletDependencies, 'database' | 'clock' | 'rowsOf'>;

export function walletRecovery({ database, clock, rowsOf = () => [] }: RecoveryDependencies): RecoverWallet {
  return async (walletId, nodeId) => {
    invariant(isWalletId(walletId), `${walletId} is not the id of a wallet`);
    const known = await database.first(findWallet, walletId);
    if (known) return known;
    return database.transaction(async (tx) => {
      // Locks the row until the commit, so that a wallet and the account are created once.
      await tx.run(writeFact, LAST, walletId);
      const created = await tx.first(findWallet, walletId);
      if (created) return created;
      const accountId = await openRecoveredAccount(tx, clock);
      const wallet = await insertWallet(tx, clock, { id: walletId, accountId, userLabel: LABEL, nodeId });
      const event = eventRow(clock, { type: 'wallet_created', owner: wallet, subject: walletId });
      await writeRows(tx, [...rowsOf(wallet), ...searchRows(searchedWallet(wallet)), event]);
      return wallet;
    });
  };
}

/** Returns the account of recovered wallets; undefined if there are none. */
export async function findRecoveredAccount(reader: SqlReader): Promise<string | undefined> {
  return (await reader.first(readFact, ACCOUNT))?.value;
}

async function openRecoveredAccount(tx: Tx, clock: Clock): Promise<string> {
  const existing = await findRecoveredAccount(tx);
  if (existing !== undefined) return existing;
  const { accountId } = await openAccount(tx, clock);
  await tx.run(writeFact, ACCOUNT, accountId);
  return accountId;
}
