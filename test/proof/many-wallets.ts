import { insertAccount } from '../../src/core/accounts/accounts.sql.ts';
import { listNodes } from '../../src/core/connection/nodes.sql.ts';
import type { Database } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import { SYSTEM_ACCOUNTS } from '../../src/core/ledger/accounts.ts';
import type { Ledger } from '../../src/core/ledger/ledger.ts';
import { insertWallet, openLedgerAccount } from '../../src/core/wallets/wallets.sql.ts';
import { testDeposit } from '../support/ledger.ts';

const CREATED_AT = 1_700_000_000;

export interface TestedWallet {
  readonly id: string;
  readonly ledgerAccount: number;
}

/** Creates wallets without keys, each with a deposit from the node. */
export async function manyWallets(database: Database, ledger: Ledger, balancesMsat: readonly number[]): Promise<TestedWallet[]> {
  const wallets = await database.transaction(async (tx) => {
    const accountId = `acc_${newId()}`;
    await tx.run(insertAccount, accountId, CREATED_AT);
    const nodeId = (await tx.first(listNodes))?.id ?? '';
    const made: TestedWallet[] = [];
    for (const _ of balancesMsat) {
      const ledgerAccount = (await tx.first(openLedgerAccount))?.id ?? 0;
      const id = `wal_${newId()}`;
      await tx.run(insertWallet, id, accountId, ledgerAccount, '', CREATED_AT, nodeId);
      made.push({ id, ledgerAccount });
    }
    return made;
  });
  const deposits = wallets.map(({ ledgerAccount }, index) => move(ledger, SYSTEM_ACCOUNTS.node, ledgerAccount, balancesMsat[index] ?? 0));
  await Promise.all(deposits);
  return wallets;
}

/** Moves an amount, unless it is 0. */
export async function move(ledger: Ledger, from: number, to: number, amountMsat: number): Promise<void> {
  if (amountMsat > 0) await ledger.post({ transfers: [{ ...testDeposit(to, amountMsat), from }] });
}

const dropRow = statement('test_drop_wallet', 'DELETE FROM wallet WHERE id = $1');

/** Changes the database as an operator might who hides a debt. */
export async function dropWallet(database: Database, wallet: TestedWallet): Promise<void> {
  await database.transaction((tx) => tx.run(dropRow, wallet.id));
}
