import type { SqlValue, Tx } from '../db/database.ts';
import { missedRow, refusalOf, sendRows } from '../db/row-write.ts';
import { invariant } from '../kernel/assert.ts';
import { type Msat, msat, subMsat } from '../kernel/money.ts';
import { accountState } from './account-state.ts';
import { apply, type HoldState, touchedBy, type Worksheet } from './arithmetic.ts';
import * as sql from './ledger.sql.ts';
import type { Balance, Guard, Posting, Receipt, RowWrite, TransferRow } from './posting.ts';
import type { Tail } from './tail.ts';

/** What became of one posting of a batch: its receipt, or why it was not applied. */
export type Decision = Receipt | Error;

/** A row of a posting did not change: the posting must be refused, and its batch decided again without it. */
export class RowMissed extends Error {
  override readonly name = 'RowMissed';
  readonly refusal: Error;

  constructor(refusal: Error) {
    super('a row of the posting did not change');
    this.refusal = refusal;
  }
}

/**
 * Decides and writes a batch of postings inside one database transaction: lock the accounts, decide each posting in order on
 * what its predecessors left, write everything with few statements. In SQLite the tail knows the accounts better than their rows.
 * @throws RowMissed when a posting's row did not change; the transaction must then be rolled back. On PostgreSQL the commit fails instead,
 * with a failure that {@link rowMissed} explains.
 */
export async function commitBatch(
  tx: Tx,
  tail: Tail | undefined,
  batchId: string,
  postings: readonly Posting[],
  nowMs: number,
): Promise<Decision[]> {
  // One round trip for all reads: none waits for another's answer, and the database takes them in this order.
  const [guards, worksheet] = [findUnguarded(tx, postings), openWorksheet(tx, tail, postings, nowMs)];
  // After a failed statement the others of its transaction say only that one had failed: the first failure is awaited first.
  worksheet.catch(() => undefined);
  const unguarded = await guards;
  const sheet = await worksheet;
  const decisions: Decision[] = postings.map((posting) => {
    const before = sheet.newTransfers.length;
    return unguarded.get(posting) ?? apply(sheet, posting) ?? receiptOf(posting, sheet, before);
  });
  const rows = postings.flatMap((posting, index) => (decisions[index] instanceof Error ? [] : (posting.rows ?? [])));
  if (tail) await writeRows(tx, rows);
  else await sendRows(tx, rows);
  await writeWorksheet(tx, tail, batchId, sheet);
  return decisions;
}

/** Writes rows one by one. @throws RowMissed */
async function writeRows(tx: Tx, rows: readonly RowWrite[]): Promise<void> {
  for (const row of rows) if ((await tx.run(row.statement, ...row.parameters)) !== 1) throw new RowMissed(refusalOf(row));
}

/** What PostgreSQL's failure of a batch says of its rows; undefined when it has another reason. */
export function rowMissed(postings: readonly Posting[], error: unknown): RowMissed | undefined {
  const missed = missedRow(
    postings.flatMap(({ rows = [] }) => rows),
    error,
  );
  return missed && new RowMissed(refusalOf(missed));
}

/** The postings of which a guard does not hold, and why. */
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

async function openWorksheet(tx: Tx, tail: Tail | undefined, postings: readonly Posting[], nowMs: number): Promise<Worksheet> {
  const touched = postings.map(touchedBy);
  const accountIds = [...new Set(touched.flatMap((t) => t.accounts))];
  const holdIds = [...new Set(touched.flatMap((t) => t.holds))];
  const [known, accountRows, holdRows] = await Promise.all([
    tail ? tail.open(tx, accountIds) : [],
    !tail && accountIds.length > 0 ? tx.all(sql.lockAccounts, accountIds) : [],
    holdIds.length > 0 ? tx.all(sql.readHolds, holdIds) : [],
  ]);
  const accounts = tail ? known : accountRows.map(accountState);
  invariant(accounts.length === accountIds.length, 'a posting names a ledger account that does not exist');
  return {
    nowMs,
    accounts: new Map(accounts.map((account) => [account.id, account])),
    holds: new Map(holdRows.map((row) => [row.id, holdState(row)])),
    newTransfers: [],
    newHolds: new Set(),
    closedHolds: new Set(),
  };
}

async function writeWorksheet(tx: Tx, tail: Tail | undefined, batchId: string, sheet: Worksheet): Promise<void> {
  const opened = [...sheet.newHolds].map((id) => holdOf(sheet, id));
  const closed = [...sheet.closedHolds].filter((id) => !sheet.newHolds.has(id)).map((id) => holdOf(sheet, id));
  const transferRows = sheet.newTransfers.map(transferRow);
  const openedRows = opened.map((h) => [h.id, h.account, h.amountMsat, h.state]);
  const closedRows = closed.map((h) => [h.id, h.state]);
  if (tail) {
    for (const [index, place] of tail.place(sheet).entries()) await tx.run(sql.insertTransfer, ...(transferRows[index] ?? []), ...place);
    for (const row of openedRows) await tx.run(sql.insertHold, ...row);
    for (const row of closedRows) await tx.run(sql.closeHold, ...row);
    await tail.save(tx, batchId, sheet);
  } else {
    const accountRows = [...sheet.accounts.values()].map((a) => [a.id, a.balanceMsat, a.heldMsat, a.entries, a.head]);
    const columns = [columnsOf(transferRows, 17), columnsOf(openedRows, 4), columnsOf(closedRows, 2), columnsOf(accountRows, 5)];
    await tx.send(sql.writeBatch, batchId, ...columns.flat());
  }
}

/** In the order of the statements' columns. */
function transferRow(t: TransferRow): SqlValue[] {
  return [
    t.id,
    t.amountMsat,
    t.createdAtMs,
    t.from,
    t.fromEntry,
    t.fromBalanceMsat,
    t.fromHash,
    t.fromType ?? null,
    t.fromLntx ?? null,
    t.to,
    t.toEntry,
    t.toBalanceMsat,
    t.toHash,
    t.toType ?? null,
    t.toLntx ?? null,
    t.memo ?? null,
    t.passThru ?? null,
  ];
}

function columnsOf(rows: readonly (readonly SqlValue[])[], width: number): SqlValue[][] {
  return Array.from({ length: width }, (_, column) => rows.map((row) => row[column] ?? null));
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

function holdState(row: sql.HoldRow): HoldState {
  return { id: row.id, account: row.account, amountMsat: msat(row.amount_msat), state: row.state };
}
