import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { SpanContext } from '@opentelemetry/api';
import { stalled } from '../db/commit-gate.ts';
import type { Tx } from '../db/database.ts';
import { CONNECTION, CommitUnknown, isCheckViolation, isUniqueViolation, StatementFailed } from '../db/errors.ts';
import { InvariantViolation, invariant } from '../kernel/assert.ts';
import { outsideRequest } from '../kernel/booking-mark.ts';
import type { Clock } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { Refusal } from '../kernel/refusal.ts';
import { runningSpan, traced } from '../kernel/tracing.ts';
import { PER_TURN } from '../kernel/turns.ts';
import { isSystemAccount } from './accounts.ts';
import { applyPosting, balanceOf, touchedBy, type Worksheet } from './arithmetic.ts';
import * as sql from './ledger.sql.ts';
import type { Guard, Posting, Receipt } from './posting.ts';
import { Reservations } from './reservations.ts';
import { type BatchTx, type LedgerStore, RowMissed } from './store.ts';

interface Waiting {
  readonly posting: Posting;
  readonly span: SpanContext | undefined;
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: unknown) => void;
}

/** A committed batch. */
export interface BatchCommit {
  readonly postings: number;
  /** From the begin of its transaction. */
  readonly seconds: number;
}

const MAX_BATCH = 256;
/** The transfers of a batch of short postings. */
const MAX_TRANSFERS = 1000;
const MAX_QUEUE = 10_000;
const RESOLVE_AGAIN_MS = 500;

/**
 * Group commit: postings that arrive during a commit form the next batch, so many postings share one database transaction and one fsync.
 * Each posting is accepted or rejected on its own. Its promise settles after the commit of its batch.
 */
export class GroupCommit {
  readonly reservations = new Reservations();
  readonly #store: LedgerStore;
  readonly #clock: Clock;
  #queue: Waiting[] = [];
  /** Postings with many lines. Each is a batch, and takes turns with the others, which would otherwise wait for all of them. */
  #long: Waiting[] = [];
  #isTurnOfLong = false;
  #active = 0;
  readonly #runners = new Set<Promise<void>>();
  #batches = 0;
  #postings = 0;
  #listener: ((batch: BatchCommit) => void) | undefined;

  constructor(store: LedgerStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
    store.stalls.onStall(() => this.#refuseWaiting());
  }

  /** @throws Refusal `ledger_busy` when the queue is full, StatementFailed while commits are stalled, if the posting may be refused. */
  add(posting: Posting): Promise<Receipt> {
    if (this.#queue.length + this.#long.length >= MAX_QUEUE && mayBeRefused(posting)) return Promise.reject(new Refusal('ledger_busy'));
    if (this.#store.stalls.isStalled() && mayBeRefused(posting)) return Promise.reject(stalled());
    return new Promise((resolve, reject) => {
      (isLong(posting) ? this.#long : this.#queue).push({ posting, span: runningSpan(), resolve, reject });
      if (this.#active >= this.#store.concurrentBatches) return;
      const runner: Promise<void> = outsideRequest(() => this.#run()).finally(() => this.#runners.delete(runner));
      this.#runners.add(runner);
    });
  }

  /** @throws what {@link add} throws, when the queue is half full */
  requireCapacity(): void {
    if (this.#queue.length + this.#long.length >= MAX_QUEUE / 2) throw new Refusal('ledger_busy');
    if (this.#store.stalls.isStalled()) throw stalled();
  }

  /** No transaction of these postings has begun. */
  #refuseWaiting(): void {
    const waiting = [...this.#queue, ...this.#long];
    const mustBeBooked = ({ posting }: Waiting) => !mayBeRefused(posting);
    this.#queue = this.#queue.filter(mustBeBooked);
    this.#long = this.#long.filter(mustBeBooked);
    for (const { posting, reject } of waiting) if (mayBeRefused(posting)) reject(stalled());
  }

  /** Returns how many postings wait, and how many were committed since the start. */
  stats() {
    return { waiting: this.#queue.length + this.#long.length, batches: this.#batches, postings: this.#postings };
  }

  onBatch(listener: (batch: BatchCommit) => void): void {
    this.#listener = listener;
  }

  /** Resolves when no posting waits. */
  async drain(): Promise<void> {
    while (this.#runners.size > 0) await Promise.all(this.#runners);
  }

  async #run(): Promise<void> {
    this.#active += 1;
    // One turn of the event loop lets requests that are ready now join the batch.
    await nextTurn();
    for (let batch = this.#takeBatch(); batch.length > 0; batch = this.#takeBatch()) await this.#commit(batch);
    // In the same turn in which the queues were empty, so the next posting starts a runner.
    this.#active -= 1;
  }

  #takeBatch(): Waiting[] {
    const takesLong = this.#long.length > 0 && (this.#isTurnOfLong || this.#queue.length === 0);
    this.#isTurnOfLong = !takesLong;
    return takesLong ? this.#long.splice(0, 1) : this.#queue.splice(0, batchSize(this.#queue));
  }

  async #commit(batch: readonly Waiting[], isRetry = false): Promise<void> {
    const started = performance.now();
    let decisions: Decision[];
    try {
      const settings = { causes: batch.flatMap(({ span }) => span ?? []), attributes: { 'satchel.postings': batch.length } };
      decisions = await traced('ledger batch', settings, () => this.#transact(batch.map(({ posting }) => posting)));
    } catch (error) {
      for (const { posting } of batch) posting.reservation?.setSpent(false);
      await this.#retry(batch, error, isRetry);
      return;
    }
    this.#batches += 1;
    this.#postings += batch.length;
    this.#listener?.({ postings: batch.length, seconds: (performance.now() - started) / 1000 });
    for (const [index, { resolve, reject }] of batch.entries()) {
      const decision = decisions[index];
      invariant(decision, 'every posting of a batch is decided');
      if (decision instanceof Error) reject(decision);
      else resolve(decision);
    }
  }

  /** Runs the database transaction of a batch. @throws when nothing of it was written, for certain. */
  async #transact(postings: readonly Posting[]): Promise<Decision[]> {
    const batchId = newId(this.#clock.nowMs());
    let decisions: Decision[] = [];
    try {
      await this.#store.transaction(async (batch) => {
        decisions = await bookBatch(batch, batchId, postings, this.#clock.nowMs(), this.reservations);
      });
    } catch (error) {
      if (!(error instanceof CommitUnknown)) throw error;
      if (!(await this.#wasCommitted(batchId))) throw new StatementFailed('a commit failed, and nothing of it was committed', CONNECTION);
    }
    return decisions;
  }

  /** Finds out whether a commit with an unknown outcome was applied. Retries until the database answers; the batch's callers wait. */
  async #wasCommitted(batchId: string): Promise<boolean> {
    for (;;) {
      try {
        return await this.#store.wasCommitted(batchId);
      } catch {
        await delay(RESOLVE_AGAIN_MS);
      }
    }
  }

  /**
   * Handles the failure of a batch of which nothing was written. If a single posting can be the reason, the halves are tried separately,
   * down to that posting. Other failures of the database concern all postings, so the whole batch is tried once more.
   */
  async #retry(batch: readonly Waiting[], error: unknown, isRetry: boolean): Promise<void> {
    const isOfOne = isFaultOfOnePosting(error);
    if (batch.length === 1 || (isRetry && !isOfOne)) {
      for (const { reject } of batch) reject(error instanceof RowMissed ? error.refusal : error);
    } else if (!isOfOne) {
      await this.#commit(batch, true);
    } else {
      const middle = Math.ceil(batch.length / 2);
      await this.#commit(batch.slice(0, middle));
      await this.#commit(batch.slice(middle));
    }
  }
}

/** Returns whether booking a posting takes more than a turn. */
function isLong({ transfers = [] }: Posting): boolean {
  return transfers.length > PER_TURN.lines;
}

/** Returns how many postings from the front of the queue form a batch: at least one. */
function batchSize(queue: readonly Waiting[]): number {
  let transfers = 0;
  for (const [index, { posting }] of queue.entries()) {
    transfers += posting.transfers?.length ?? 0;
    if (index === MAX_BATCH || (index > 0 && transfers > MAX_TRANSFERS)) return index;
  }
  return queue.length;
}

/** Only postings that spend customers' money may be refused. Ends of holds and money that has arrived are always accepted. */
function mayBeRefused(posting: Posting): boolean {
  return posting.holds !== undefined || (posting.transfers ?? []).some(({ from }) => !isSystemAccount(from));
}

/** Whether one posting can be the reason: a row that did not change, or a value that the database rejects. */
function isFaultOfOnePosting(error: unknown): boolean {
  if (error instanceof StatementFailed) return isUniqueViolation(error) || isCheckViolation(error) || error.code.startsWith('22');
  return error instanceof RowMissed || error instanceof RangeError || error instanceof InvariantViolation;
}

/** The result of one posting of a batch: its receipt, or the reason why it was not applied. */
export type Decision = Receipt | Error;

/**
 * Books a batch of postings in one database transaction: locks the accounts, applies or rejects each posting on the state that the previous
 * ones leave, and writes everything.
 * @throws RowMissed, now or at the commit, when a row of a posting did not change.
 */
export async function bookBatch(
  batch: BatchTx,
  batchId: string,
  postings: readonly Posting[],
  nowMs: number,
  reservations = new Reservations(),
): Promise<Decision[]> {
  // All reads are sent at once, and share a round trip. After one has failed, the later ones fail without a reason, so they are awaited
  // in the order in which they were sent.
  const [guards, worksheet] = [findUnguarded(batch.tx, postings), openWorksheet(batch, postings, nowMs, reservations)];
  worksheet.catch(() => undefined);
  const unguarded = await guards;
  const sheet = await worksheet;
  // The batch may be evaluated again.
  for (const { reservation } of postings) reservation?.setSpent(false);
  const before = new Map(sheet.holds);
  const decisions: Decision[] = [];
  for (const posting of postings) {
    const transfers = sheet.newTransfers.length;
    const refusal = unguarded.get(posting) ?? (await applyPosting(sheet, posting));
    if (!refusal) posting.reservation?.setSpent(true);
    decisions.push(refusal ?? receiptOf(posting, sheet, transfers));
  }
  const holds = [...sheet.holds.values()];
  const applied = postings.filter((_, index) => !(decisions[index] instanceof Error));
  await batch.write({
    batchId,
    rows: applied.flatMap(({ rows }) => rows ?? []),
    events: applied.flatMap(({ events }) => events ?? []),
    transfers: sheet.newTransfers,
    openedHolds: holds.filter(({ id }) => !before.has(id)),
    closedHolds: holds.filter(({ id, state }) => before.has(id) && before.get(id)?.state !== state),
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

async function openWorksheet(
  { tx, lockAccounts }: BatchTx,
  postings: readonly Posting[],
  nowMs: number,
  reservations: Reservations,
): Promise<Worksheet> {
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
    holds: new Map(holdRows.map((hold) => [hold.id, hold])),
    newTransfers: [],
    reservedMsat: (account) => reservations.inAccount(account),
  };
}

function receiptOf(posting: Posting, sheet: Worksheet, firstTransfer: number): Receipt {
  const balances = touchedBy(posting).accounts.map((id) => [id, balanceOf(id, sheet.accounts.get(id))] as const);
  return { transfers: sheet.newTransfers.slice(firstTransfer), balances: new Map(balances) };
}
