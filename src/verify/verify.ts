import type { Database, Tx } from '../db/database.ts';
import { isSystemAccount, mayGoBelowZero } from '../ledger/accounts.ts';
import { entryHash } from '../ledger/chain.ts';
import * as sql from './verify.sql.ts';

export interface Verification {
  /** What does not hold, in words; empty when everything does. Bounded. */
  readonly problems: readonly string[];
  readonly transfers: number;
  readonly wallets: number;
  /** The trial balance: per kind of ledger account, its balance in msat. They add up to zero. */
  readonly trialBalance: ReadonlyMap<string, bigint>;
}

const MAX_PROBLEMS = 50;
const NO_ENTRY = new Uint8Array();

/** What the entries of an account add up to, as far as they were read. */
interface Fold {
  entries: number;
  balanceMsat: number;
  head: Uint8Array;
}

/**
 * Checks the whole ledger against itself: every entry follows from the one before it on its account (number, balance, hash), both sides
 * of every transfer and their accounts are there, the running balances are what the entries add up to, holds are what is held, nothing of a
 * customer's is below zero, everything sums to zero, and payments and invoices agree with their transfers.
 * Reads while the service runs; memory grows with the accounts, not with the transfers.
 */
export async function verify(database: Database, progress: (done: number, total: number) => void = () => {}): Promise<Verification> {
  const problems: string[] = [];
  const report = (problem: string) => {
    if (problems.length < MAX_PROBLEMS) problems.push(problem);
  };
  return database.snapshot(async (tx) => {
    const { folds, transfers } = await foldTransfers(tx, report, progress);
    const accounts = await tx.all(sql.allAccounts);
    await checkAccounts(tx, accounts, folds, report);
    await checkCompanions(tx, report);
    const trialBalance = new Map<string, bigint>();
    for (const { kind, balance_msat } of accounts) trialBalance.set(kind, (trialBalance.get(kind) ?? 0n) + BigInt(balance_msat));
    const sum = [...trialBalance.values()].reduce((a, b) => a + b, 0n);
    if (sum !== 0n) report(`all balances together are ${sum} msat, not zero`);
    return { problems, transfers, trialBalance, wallets: accounts.filter(({ id }) => !isSystemAccount(id)).length };
  });
}

async function foldTransfers(tx: Tx, report: (problem: string) => void, progress: (done: number, total: number) => void) {
  const total = (await tx.first(sql.countTransfers))?.n ?? 0;
  const folds = new Map<number, Fold>();
  let transfers = 0;
  let after = 0;
  for (;;) {
    const page = await tx.all(sql.transfersAfter, after, PAGE);
    for (const t of page) {
      const common = { transferId: t.id, createdAtMs: t.created_at_ms, memo: t.memo, passThru: t.pass_thru };
      const from = {
        account: t.from_account,
        counterpart: t.to_account,
        entry: t.from_entry,
        amountMsat: -t.amount_msat,
        balanceMsat: t.from_balance_msat,
        type: t.from_type,
        lntx: t.from_lntx,
      };
      const to = {
        account: t.to_account,
        counterpart: t.from_account,
        entry: t.to_entry,
        amountMsat: t.amount_msat,
        balanceMsat: t.to_balance_msat,
        type: t.to_type,
        lntx: t.to_lntx,
      };
      checkEntry(folds, { ...common, ...from }, t.from_hash, report);
      checkEntry(folds, { ...common, ...to }, t.to_hash, report);
    }
    transfers += page.length;
    after = page.at(-1)?.position ?? 0;
    progress(transfers, total);
    if (page.length < PAGE) return { folds, transfers };
  }
}

const PAGE = 1000;

function checkEntry(
  folds: Map<number, Fold>,
  entry: Parameters<typeof entryHash>[1],
  hash: Uint8Array,
  report: (problem: string) => void,
): void {
  const fold = folds.get(entry.account) ?? { entries: 0, balanceMsat: 0, head: NO_ENTRY };
  const where = `transfer ${entry.transferId}, account ${entry.account}`;
  if (entry.entry !== fold.entries + 1) report(`${where}: entry ${entry.entry} follows entry ${fold.entries}`);
  if (entry.balanceMsat !== fold.balanceMsat + entry.amountMsat)
    report(`${where}: the balance after it does not follow from the one before`);
  if (Buffer.compare(hash, entryHash(fold.head, entry)) !== 0) report(`${where}: the hash does not match the entry and its predecessor`);
  if (entry.balanceMsat < 0 && !mayGoBelowZero(entry.account)) report(`${where}: the balance is below zero`);
  folds.set(entry.account, { entries: entry.entry, balanceMsat: entry.balanceMsat, head: hash });
}

async function checkAccounts(
  tx: Tx,
  accounts: readonly sql.VerifiedAccount[],
  folds: ReadonlyMap<number, Fold>,
  report: (problem: string) => void,
): Promise<void> {
  const known = new Set(accounts.map(({ id }) => id));
  // No foreign key keeps transfers to accounts that exist.
  for (const id of folds.keys()) if (!known.has(id)) report(`account ${id}: it has entries and does not exist`);
  const held = new Map((await tx.all(sql.openHolds)).map((row) => [row.account, row.held_msat]));
  for (const { id, balance_msat, entries, head, held_msat } of accounts) {
    const fold = folds.get(id) ?? { entries: 0, balanceMsat: 0, head: NO_ENTRY };
    if (balance_msat !== fold.balanceMsat)
      report(`account ${id}: its balance is ${balance_msat} msat, its entries add up to ${fold.balanceMsat}`);
    if (entries !== fold.entries || Buffer.compare(head ?? NO_ENTRY, fold.head) !== 0)
      report(`account ${id}: its last entry is not the ledger's`);
    if (held_msat !== (held.get(id) ?? 0)) report(`account ${id}: ${held_msat} msat are held, its open holds are ${held.get(id) ?? 0}`);
  }
}

async function checkCompanions(tx: Tx, report: (problem: string) => void): Promise<void> {
  const checks = [
    [sql.holdsAgainstAccounts, 'its account does not exist'],
    [sql.paymentsAgainstHolds, 'its state and its hold do not belong together'],
    [sql.paymentsAgainstTransfers, 'its state and its transfer do not belong together'],
    [sql.invoicesAgainstTransfers, 'it was not credited once with what was received'],
  ] as const;
  for (const [statement, problem] of checks) {
    for (const { id } of await tx.all(statement)) report(`${id}: ${problem}`);
  }
}
