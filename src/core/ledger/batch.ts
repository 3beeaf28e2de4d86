import type { Tx } from '../db/database.ts';
import { invariant } from '../kernel/assert.ts';
import { type Msat, subMsat } from '../kernel/money.ts';
import { applyPosting, type HoldState, touchedBy, type Worksheet } from './arithmetic.ts';
import * as sql from './ledger.sql.ts';
import type { Balance, Guard, Posting, Receipt } from './posting.ts';
import type { BatchTx } from './store.ts';

/** The result of one posting of a batch: its receipt, or the reason why it was not applied. */
export type Decision = Receipt | Error;

/**
 * Books a batch of postings in one database transaction: locks the accounts, applies or rejects each posting on the state that the previous
 * ones leave, and writes everything.
 * @throws RowMissed, now or at the commit, when a row of a posting did not change.
 */
export async function bookBatch(batch: BatchTx, batchId: string, postings: readonly Posting[], nowMs: number): Promise<Decision[]> {
  // All reads are sent at once, and share a round trip. After one has failed, the later ones fail without a reason, so they are awaited
  // in the order in which they were sent.
  const [guards, worksheet] = [findUnguarded(batch.tx, postings), openWorksheet(batch, postings, nowMs)];
  worksheet.catch(() => undefined);
  const unguarded = await guards;
  const sheet = await worksheet;
  const decisions: Decision[] = postings.map((posting) => {
    const before = sheet.newTransfers.length;
    return unguarded.get(posting) ?? applyPosting(sheet, posting) ?? receiptOf(posting, sheet, before);
  });
  const applied = postings.filter((_, index) => !(decisions[index] instanceof Error));
  await batch.write({
    batchId,
    rows: applied.flatMap(({ rows }) => rows ?? []),
    events: applied.flatMap(({ events }) => events ?? []),
    transfers: sheet.newTransfers,
    openedHolds: Array.from(sheet.newHolds, (id) => holdOf(sheet, id)),
    closedHolds: Array.from(sheet.closedHolds)
      .filter((id) => !sheet.newHolds.has(id))
      .map((id) => holdOf(sheet, id)),
    accounts: [...sheet.accounts.values()],
  });
  return decisions;
}

/** Returns the postings with a guard that does not hold, each with the guard's error. */
async function findUnguarded(tx: Tx, postings: readonly Posting[]): Promise<Map<Posting, Error>> {
  const guards = postings.flatMap((posting) => posting.guards ?? []);
  const reads = [...new Set(guards.map((guard) => guard.statement))].map((statement) => {
    const ids = new Set(guards.filter((guard) => guard.statement === statement).map(({ id }) => id));
    const rows = tx.all(statement, [...ids]);
    rows.catch(() => undefined);
    return { statement, rows };
  });
  const holding = new Map<Guard['statement'], Set<string>>();
  for (const { statement, rows } of reads) holding.set(statement, new Set((await rows).map(({ id }) => id)));
  const failed = new Map<Posting, Error>();
  for (const posting of postings) {
    const guard = posting.guards?.find(({ statement, id }) => !holding.get(statement)?.has(id));
    if (guard) failed.set(posting, guard.onMiss());
  }
  return failed;
}

async function openWorksheet({ tx, lockAccounts }: BatchTx, postings: readonly Posting[], nowMs: number): Promise<Worksheet> {
  const touched = postings.map(touchedBy);
  const accountIds = [...new Set(touched.flatMap((t) => t.accounts))];
  const holdIds = [...new Set(touched.flatMap((t) => t.holds))];
  const [locking, reading] = [lockAccounts(accountIds), holdIds.length > 0 ? tx.all(sql.readHolds, holdIds) : Promise.resolve([])];
  reading.catch(() => undefined);
  const accounts = await locking;
  const holdRows = await reading;
  invariant(accounts.length === accountIds.length, 'a posting names a ledger account that does not exist');
  return {
    nowMs,
    accounts: new Map(accounts.map((account) => [account.id, account])),
    holds: new Map(holdRows.map((hold) => [hold.id, { ...hold }])),
    newTransfers: [],
    newHolds: new Set(),
    closedHolds: new Set(),
  };
}

function receiptOf(posting: Posting, sheet: Worksheet, firstTransfer: number): Receipt {
  const balances = new Map<number, Balance>();
  for (const id of touchedBy(posting).accounts) {
    const account = sheet.accounts.get(id);
    if (!account) continue;
    const { balanceMsat, heldMsat, entries } = account;
    balances.set(id, { balanceMsat, heldMsat, spendableMsat: subMsat(balanceMsat, heldMsat), entries });
  }
  return {
    heldMsat: new Map<string, Msat>((posting.holds ?? []).map(({ id }) => [id, holdOf(sheet, id).amountMsat])),
    transfers: sheet.newTransfers.slice(firstTransfer),
    balances,
  };
}

function holdOf(sheet: Worksheet, id: string): HoldState {
  const hold = sheet.holds.get(id);
  invariant(hold, `hold ${id} is not part of this batch`);
  return hold;
}
