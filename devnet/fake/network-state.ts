import { paymentHashOf } from '../../src/core/lightning/payment-hash.ts';
import type { NodeName } from '../test-network.ts';
import { type Bolt11Field, encodeBolt11, featureWords, numberWords } from './bolt11-encoder.ts';
import { Draws } from './draws.ts';
import { type FaultRates, Faults } from './faults.ts';
import { newHealth } from './health.ts';
import { type Identities, identitiesOf } from './identities.ts';
import { PROFILES, type Profile, type ProfileName } from './profile.ts';
import { type FakeState, fill, makeTables, type TableName, type Tables, type TimerAction } from './tables.ts';
import type { Time } from './time.ts';

/** A row that a step has changed. `row` is undefined after a deletion. */
export interface Change {
  readonly table: TableName;
  readonly key: string;
  readonly row: unknown;
}

export interface NetworkStateOptions {
  readonly seed: string;
  readonly time: Time;
  readonly rates: Partial<FaultRates>;
  readonly behaves: ProfileName;
  /** The state that an earlier process stored. */
  readonly state?: Partial<FakeState> | undefined;
  /** Persists the changes of a step, before any response or event of the step leaves the network. */
  readonly keep?: ((changes: readonly Change[]) => void) | undefined;
}

/** The contents of a new invoice. */
export interface InvoiceDraft {
  readonly preimage?: string | undefined;
  /** Of a hold invoice, instead of the preimage. */
  readonly paymentHash?: string | undefined;
  readonly amountMsat: number | undefined;
  readonly description: string;
  readonly descriptionHash?: string | undefined;
  readonly expirySeconds: number;
  /** The blocks that a payer leaves until the HTLC expires. */
  readonly finalBlocks?: number | undefined;
}

/** var_onion_optin and payment_secret (required), basic_mpp (optional). Source: BOLT 9. */
const FEATURES = [8, 14, 17];

/** The shared parts of a fake network: its tables, clock, random draws, faults and keys. */
export class NetworkState {
  readonly tables: Tables;
  readonly time: Time;
  readonly draws: Draws;
  readonly faults: Faults;
  readonly profile: Profile;
  readonly identities: Identities;
  readonly health = newHealth();
  /** Runs the action of a timer. {@link FakeNetwork} sets it. */
  perform: (action: TimerAction) => void = () => undefined;
  readonly #keep: ((changes: readonly Change[]) => void) | undefined;
  #changes: Change[] = [];
  #depth = 0;

  constructor({ seed, time, rates, behaves, state = {}, keep }: NetworkStateOptions) {
    this.tables = makeTables((table, key, row) => this.#keep && this.#changes.push({ table, key, row }));
    fill(this.tables, state);
    this.#keep = keep;
    this.time = time;
    this.draws = new Draws(seed, this.tables.counters);
    this.faults = new Faults(this.draws, rates);
    this.identities = identitiesOf(seed);
    this.profile = PROFILES[behaves];
    this.#changes = [];
  }

  nowSeconds(): number {
    return Math.floor(this.time.nowMs() / 1000);
  }

  /** Runs `work` and persists its changes together. Steps may be nested. */
  step<T>(work: () => T): T {
    this.#depth++;
    try {
      return work();
    } finally {
      this.#depth--;
      if (this.#depth === 0 && this.#changes.length > 0) this.#keep?.(this.#changes.splice(0));
    }
  }

  /** Schedules an action. It also runs after a restart of the process. */
  schedule(delayMs: number, action: TimerAction): void {
    const id = this.draws.count('timers');
    this.tables.timers.put(id, { dueMs: this.time.nowMs() + delayMs, deed: action });
    this.time.after(delayMs, () => this.#fire(id));
  }

  /** Restarts the timers that an earlier process stored. */
  resume(): void {
    for (const [id, { dueMs }] of this.tables.timers.entries()) {
      this.time.after(Math.max(0, dueMs - this.time.nowMs()), () => this.#fire(id));
    }
  }

  /** Creates an invoice of a node, signed with the node's key. An invoice without a given preimage gets one that derives from the seed. */
  makeInvoice(name: NodeName, draft: InvoiceDraft) {
    const isHold = draft.paymentHash !== undefined;
    const preimage = isHold ? '' : (draft.preimage ?? this.identities.secret(`preimage ${this.draws.count('preimages')}`));
    const paymentHash = draft.paymentHash ?? paymentHashOf(preimage);
    const timestamp = this.nowSeconds();
    const fields: Bolt11Field[] = [
      ['p', Buffer.from(paymentHash, 'hex')],
      ['s', Buffer.from(this.identities.secret(`payment secret ${paymentHash}`), 'hex')],
      draft.descriptionHash === undefined ? ['d', Buffer.from(draft.description)] : ['h', Buffer.from(draft.descriptionHash, 'hex')],
      ['x', numberWords(draft.expirySeconds)],
      ['c', numberWords(draft.finalBlocks ?? 40)],
      ['9', featureWords(FEATURES)],
    ];
    const amount = draft.amountMsat ? { amountMsat: draft.amountMsat } : {};
    const privateKey = this.identities.privateKey(name);
    const paymentRequest = encodeBolt11({ network: 'regtest', ...amount, timestamp, fields, privateKey });
    return { paymentRequest, paymentHash, preimage, expiresAt: timestamp + draft.expirySeconds };
  }

  #fire(id: number | string): void {
    const timer = this.tables.timers.get(id);
    // The action was cancelled, or has already run.
    if (!timer) return;
    this.step(() => {
      this.tables.timers.delete(id);
      this.perform(timer.deed);
    });
  }
}
