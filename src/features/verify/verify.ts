import type { Database, Tx } from '../../core/db/database.ts';
import { readPages } from '../../core/db/pages.ts';
import { statement } from '../../core/db/statement.ts';
import { isSystemAccount } from '../../core/ledger/accounts.ts';
import { toggleHead } from '../../core/ledger/store-sqlite/balance-cache.ts';
import { readCheckpoint } from '../../core/ledger/store-sqlite/store-sqlite.sql.ts';
import { Folds, type Report } from './folds.ts';
import { JOURNAL_CHECKS } from './journal.sql.ts';
import { type ProvenLeaves, provenLeaves } from './proven-leaves.ts';
import { RECORD_CHECKS } from './records.sql.ts';
import * as sql from './verify.sql.ts';

export interface Verification {
  /** Descriptions of the problems found; empty if there are none. At most 50. */
  readonly problems: readonly string[];
  readonly transfers: number;
  readonly wallets: number;
  /** The trial balance: the balance in msat per kind of ledger account. The sum is zero. */
  readonly trialBalance: ReadonlyMap<string, bigint>;
}

const MAX_PROBLEMS = 50;

/**
 * Checks the whole ledger, while the service may run. Memory grows with the accounts, not with the transfers. It checks that
 * - each entry follows from the entry before it on its account: number, balance and hash;
 * - the accounts of all entries exist, and their rows agree with the entries (on SQLite, rows may lag behind the last transfers);
 * - the held amount of an account is the sum of its open holds, no account of a customer is below zero, and all balances sum to zero;
 * - payments, holds, fees, invoices and budgets agree with the transfers;
 * - the last proof of liabilities is a moment of this ledger.
 */
export async function verify(database: Database, progress: (done: number, total: number) => void = () => {}): Promise<Verification> {
  const problems: string[] = [];
  const report = (problem: string) => {
    if (problems.length < MAX_PROBLEMS) problems.push(problem);
  };
  const check = async (tx: Tx): Promise<Verification> => {
    const rows = await tx.all(sql.allAccounts);
    const writeBack = tx.dialect === 'sqlite' ? await tx.first(readCheckpoint) : undefined;
    const folds = new Folds(rows, writeBack?.position ?? Number.POSITIVE_INFINITY, report);
    const proven = await provenLeaves(tx, report);
    const transfers = await foldTransfers(tx, folds, proven, progress);
    await proven?.finish(tx);
    folds.checkAccounts(new Map((await tx.all(sql.openHolds)).map((row) => [row.account, row.held_msat])));
    if (writeBack) checkHeads(folds, writeBack.heads, report);
    await checkRecords(tx, report);
    const trialBalance = new Map<string, bigint>();
    for (const { row, balanceMsat } of folds.accounts())
      if (row) trialBalance.set(row.kind, (trialBalance.get(row.kind) ?? 0n) + BigInt(balanceMsat));
    const sum = [...trialBalance.values()].reduce((a, b) => a + b, 0n);
    if (sum !== 0n) report(`all balances together are ${sum} msat, not zero`);
    return { problems, transfers, trialBalance, wallets: rows.filter(({ id }) => !isSystemAccount(id)).length };
  };
  return database.snapshot(check, { takesLong: true });
}

const PAGE = 1000;

async function foldTransfers(
  tx: Tx,
  folds: Folds,
  proven: ProvenLeaves | undefined,
  progress: (done: number, total: number) => void,
): Promise<number> {
  const total = (await tx.first(sql.countTransfers))?.n ?? 0;
  let transfers = 0;
  for await (const page of readPages(tx, sql.transfersAfter, PAGE, (last) => [last?.position ?? 0])) {
    for (const transfer of page) {
      folds.add(transfer);
      proven?.add(transfer);
    }
    transfers += page.length;
    progress(transfers, total);
  }
  return transfers;
}

/** Checks the XOR of all last hashes, which shows missing last transfers. */
function checkHeads(folds: Folds, heads: Uint8Array, report: Report): void {
  const found = new Uint8Array(32);
  for (const { head } of folds.accounts()) toggleHead(found, head);
  if (Buffer.compare(found, heads) !== 0) report('the checksum of the last entries of all accounts is wrong');
}

/** Compares payments, invoices and budgets with the ledger. The database compares, and returns at most 20 rows of each kind. */
async function checkRecords(tx: Tx, report: Report): Promise<void> {
  for (const [name, [problem, text]] of Object.entries({ ...RECORD_CHECKS, ...JOURNAL_CHECKS })) {
    const rows = await tx.all(statement<{ id: string }>(name, `${text} LIMIT 20`));
    for (const { id } of rows) report(`${id}: ${problem}`);
  }
}
