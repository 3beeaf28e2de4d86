import type { Database } from '../db/database.ts';
import { invariant } from '../kernel/assert.ts';
import type { Clock } from '../kernel/clock.ts';
import { Refusal } from '../kernel/refusal.ts';
import { isSystemAccount } from './accounts.ts';
import { commitBatch, type Decision, RowMissed } from './commit.ts';
import type { Posting, Receipt } from './posting.ts';

interface Waiting {
  readonly posting: Posting;
  readonly resolve: (receipt: Receipt) => void;
  readonly reject: (error: unknown) => void;
}

const MAX_BATCH = 256;
const MAX_QUEUE = 10_000;

/**
 * Group commit: whatever arrives while one commit is running goes into the next database transaction, so that many postings share
 * one fsync. Each posting is accepted or refused on its own, and each caller is answered after its own commit.
 */
export class GroupCommit {
  readonly #database: Database;
  readonly #clock: Clock;
  #queue: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** @throws Refusal `ledger_busy` when the queue is full and the posting may wait. */
  add(posting: Posting): Promise<Receipt> {
    if (this.#queue.length >= MAX_QUEUE && mayBeRefused(posting)) return Promise.reject(new Refusal('ledger_busy'));
    return new Promise((resolve, reject) => {
      this.#queue.push({ posting, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /** Resolves when nothing is waiting any more. */
  async drain(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    // One turn of the event loop lets requests that are ready now join the first batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, MAX_BATCH);
      await this.#commit(batch);
    }
    this.#running = undefined;
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    let decisions: Decision[];
    try {
      const postings = batch.map(({ posting }) => posting);
      decisions = await this.#database.transaction((tx) => commitBatch(tx, postings, this.#clock.nowMs()));
    } catch (error) {
      await this.#retry(batch, error);
      return;
    }
    for (const [index, { resolve, reject }] of batch.entries()) {
      const decision = decisions[index];
      invariant(decision, 'every posting of a batch is decided');
      if (decision instanceof Error) reject(decision);
      else resolve(decision);
    }
  }

  /** Nothing of the batch was written. The halves are decided again, down to the one posting that is at fault. */
  async #retry(batch: readonly Waiting[], error: unknown): Promise<void> {
    const [only] = batch;
    if (batch.length === 1 && only) {
      only.reject(error instanceof RowMissed ? error.refusal : error);
      return;
    }
    const middle = Math.ceil(batch.length / 2);
    await this.#commit(batch.slice(0, middle));
    await this.#commit(batch.slice(middle));
  }
}

/** Only what asks for customers' money to start moving; what ends a hold or books money that has arrived is never turned away. */
function mayBeRefused(posting: Posting): boolean {
  return posting.holds !== undefined || (posting.transfers ?? []).some(({ from }) => !isSystemAccount(from));
}
