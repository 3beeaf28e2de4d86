import type { Database } from '../../src/db/database.ts';
import { statement } from '../../src/db/statement.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/ids.ts';
import { type Msat, msat } from '../../src/kernel/money.ts';
import { SYSTEM_ACCOUNTS } from '../../src/ledger/accounts.ts';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { verify } from '../../src/verify/verify.ts';

const openAccount = statement<{ id: number }>('test_open_account', `INSERT INTO ledger_account (kind) VALUES ('wallet') RETURNING id`);

/** A ledger with some funded accounts on a fresh database. */
export async function ledgerWith(database: Database, balancesMsat: readonly number[]): Promise<{ ledger: Ledger; accounts: number[] }> {
  const ledger = createLedger(database, systemClock);
  const accounts: number[] = [];
  for (const balance of balancesMsat) {
    const id = await database.transaction(async (tx) => (await tx.first(openAccount))?.id ?? 0);
    accounts.push(id);
    if (balance > 0) await ledger.post({ transfers: [{ id: newId(), from: SYSTEM_ACCOUNTS.node, to: id, amountMsat: msat(balance) }] });
  }
  return { ledger, accounts };
}

/** What does not hold in the ledger; tests expect nothing. */
export async function problemsOf(database: Database): Promise<readonly string[]> {
  return (await verify(database)).problems;
}

export function amount(value: number): Msat {
  return msat(value);
}
