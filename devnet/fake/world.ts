import type { NodeName } from '../../src/lightning/test-network.ts';
import { type Bolt11Field, encodeBolt11, featureWords, numberWords } from './bolt11-encoder.ts';
import { Draws } from './draws.ts';
import { type FaultRates, Faults } from './faults.ts';
import { hashOf, type Identities, identitiesOf } from './identities.ts';
import { type Deed, type FakeState, fill, makeTables, type TableName, type Tables } from './tables.ts';
import type { Time } from './time.ts';

/** One row that a step has changed; `row` undefined when it is gone. */
export interface Change {
  readonly table: TableName;
  readonly key: string;
  readonly row: unknown;
}

export interface WorldOptions {
  readonly seed: string;
  readonly time: Time;
  readonly rates: Partial<FaultRates>;
  /** What an earlier life left. */
  readonly state?: Partial<FakeState> | undefined;
  /** Keeps what a step has changed, before anybody hears of the step. */
  readonly keep?: ((changes: readonly Change[]) => void) | undefined;
}

/** What an invoice is made of. */
export interface InvoiceDraft {
  readonly amountMsat: number | undefined;
  readonly description: string;
  readonly descriptionHash?: string | undefined;
  readonly expirySeconds: number;
}

/** BOLT 9: var_onion_optin and payment_secret required, basic_mpp. */
const FEATURES = [8, 14, 17];

/** The ground under a fake network: its state, its time, its chance, its keys. */
export class World {
  readonly tables: Tables;
  readonly time: Time;
  readonly draws: Draws;
  readonly faults: Faults;
  readonly identities: Identities;
  /** Does what a timer says; set by whoever knows how. */
  perform: (deed: Deed) => void = () => undefined;
  readonly #keep: ((changes: readonly Change[]) => void) | undefined;
  #changes: Change[] = [];
  #depth = 0;

  constructor({ seed, time, rates, state = {}, keep }: WorldOptions) {
    this.tables = makeTables((table, key, row) => this.#keep && this.#changes.push({ table, key, row }));
    fill(this.tables, state);
    this.#keep = keep;
    this.time = time;
    this.draws = new Draws(seed, this.tables.counters);
    this.faults = new Faults(this.draws, rates);
    this.identities = identitiesOf(seed);
    this.#changes = [];
  }

  nowSeconds(): number {
    return Math.floor(this.time.nowMs() / 1000);
  }

  /** One step: what it changes is kept together. */
  step<T>(work: () => T): T {
    this.#depth++;
    try {
      return work();
    } finally {
      this.#depth--;
      if (this.#depth === 0 && this.#changes.length > 0) this.#keep?.(this.#changes.splice(0));
    }
  }

  /** Lets something happen by itself later, also if the process is killed in between. */
  schedule(delayMs: number, deed: Deed): void {
    const id = this.draws.count('timers');
    this.tables.timers.put(id, { dueMs: this.time.nowMs() + delayMs, deed });
    this.time.after(delayMs, () => this.#fire(id));
  }

  /** Takes up what an earlier life had scheduled. */
  resume(): void {
    for (const [id, { dueMs }] of this.tables.timers.entries()) {
      this.time.after(Math.max(0, dueMs - this.time.nowMs()), () => this.#fire(id));
    }
  }

  /** Makes a new invoice of a node, signed with its key. */
  makeInvoice(name: NodeName, draft: InvoiceDraft) {
    const preimage = this.identities.secret(`preimage ${this.draws.count('preimages')}`);
    const paymentHash = hashOf(preimage);
    const timestamp = this.nowSeconds();
    const fields: Bolt11Field[] = [
      ['p', Buffer.from(paymentHash, 'hex')],
      ['s', Buffer.from(this.identities.secret(`payment secret ${paymentHash}`), 'hex')],
      draft.descriptionHash === undefined ? ['d', Buffer.from(draft.description)] : ['h', Buffer.from(draft.descriptionHash, 'hex')],
      ['x', numberWords(draft.expirySeconds)],
      ['c', numberWords(40)],
      ['9', featureWords(FEATURES)],
    ];
    const amount = draft.amountMsat ? { amountMsat: draft.amountMsat } : {};
    const privateKey = this.identities.privateKey(name);
    const paymentRequest = encodeBolt11({ network: 'regtest', ...amount, timestamp, fields, privateKey });
    return { paymentRequest, paymentHash, preimage, expiresAt: timestamp + draft.expirySeconds };
  }

  #fire(id: number | string): void {
    const timer = this.tables.timers.get(id);
    // Taken back, or done by another.
    if (!timer) return;
    this.step(() => {
      this.tables.timers.delete(id);
      this.perform(timer.deed);
    });
  }
}
