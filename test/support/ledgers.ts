import type { Database, SqlValue, Tx } from '../../src/db/database.ts';
import { statement } from '../../src/db/statement.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/ids.ts';
import { type Msat, msat } from '../../src/kernel/money.ts';
import { SYSTEM_ACCOUNTS } from '../../src/ledger/accounts.ts';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import type { TransferOrder } from '../../src/ledger/posting.ts';
import { verify } from '../../src/verify/verify.ts';

const openAccount = statement<{ id: number }>('test_open_account', `INSERT INTO ledger_account (kind) VALUES ('wallet') RETURNING id`);

/** A ledger with some funded accounts on a fresh database. */
export async function ledgerWith(database: Database, balancesMsat: readonly number[]): Promise<{ ledger: Ledger; accounts: number[] }> {
  const ledger = createLedger(database, systemClock);
  const accounts: number[] = [];
  for (const balance of balancesMsat) {
    const id = await database.transaction(async (tx) => (await tx.first(openAccount))?.id ?? 0);
    accounts.push(id);
    if (balance > 0) await ledger.post({ transfers: [testDeposit(id, balance)] });
  }
  return { ledger, accounts };
}

/** Money for a test's wallet that no invoice owns. `verify` finds it; {@link problemsOf} leaves it out. */
export function testDeposit(to: number, amountMsat: number): TransferOrder {
  const id = newId();
  testDeposits.add(`${id}: no invoice owns this credit`);
  return { id, from: SYSTEM_ACCOUNTS.node, to, amountMsat: msat(amountMsat) };
}

const testDeposits = new Set<string>();

/** What does not hold in the ledger, apart from deposits made by {@link testDeposit}; tests expect nothing. */
export async function problemsOf(database: Database): Promise<readonly string[]> {
  return (await verify(database)).problems.filter((problem) => !testDeposits.has(problem));
}

/** The same after a change by hand, which is taken back; it must change one row of each table that it names. */
export async function problemsAfter(database: Database, changes: string, parameters: readonly SqlValue[]): Promise<readonly string[]> {
  let problems: readonly string[] = [];
  const takenBack = new Error('taken back');
  const work = async (tx: Tx) => {
    for (const sql of changes.split(';')) {
      const changed = await tx.run(statement(`test_change_${++change}`, sql), ...parameters);
      if (changed !== 1) throw new Error(`${sql} changed ${changed} rows`);
    }
    problems = await problemsOf({ ...database, snapshot: (look) => look(tx) });
    throw takenBack;
  };
  await database.transaction(work).catch((error) => {
    if (error !== takenBack) throw error;
  });
  return problems;
}

let change = 0;

/** The same where there are no payments around the ledger, so that nobody owns its holds and lines. */
export async function problemsOfLedger(database: Database): Promise<readonly string[]> {
  return (await problemsOf(database)).filter(
    (problem) =>
      !/: (no payment owns this (hold|line)|no invoice owns this credit|no operator action owns this transfer of suspense)$/.test(problem),
  );
}

export function amount(value: number): Msat {
  return msat(value);
}
