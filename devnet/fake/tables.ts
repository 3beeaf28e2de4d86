import type { Msat } from '../../src/core/kernel/money.ts';
import type { CustomRecords, FailureReason, NodeEvent, PaymentOutcome } from '../../src/core/lightning/node.ts';
import type { OutsidePayment } from '../test-network.ts';
import type { PaymentScript } from './script.ts';

/** An invoice of our node. */
export interface OurInvoice {
  /** Undefined: a hold invoice. */
  readonly preimage?: string | undefined;
  readonly paymentRequest: string;
  /** The payer chooses the amount when it is undefined. */
  readonly amountMsat?: Msat | undefined;
  /** Unix seconds. */
  readonly expiresAt: number;
  readonly cancelled: boolean;
  /** The blocks that a payer leaves until the HTLC expires. */
  readonly finalBlocks?: number | undefined;
}

/**
 * An incoming payment at our node: `asked` until the claim guard decides, or `held` until a hold invoice is settled, then `claiming`, then
 * `settled`. One per payment hash.
 */
export interface Receipt {
  readonly askId: number;
  readonly state: 'asked' | 'held' | 'claiming' | 'settled';
  /** When the HTLC of a held payment expires, in Unix milliseconds. */
  readonly expiresAtMs?: number | undefined;
  /** How a reported settlement ends; undefined: it is not final yet. */
  readonly finality?: 'final' | 'failed' | undefined;
  /** What happens to the money after the report. */
  readonly after?: AfterReport | undefined;
  /** Empty while it is held. */
  readonly preimage: string;
  readonly amountMsat: Msat;
  readonly keysend: boolean;
  readonly customRecords: CustomRecords;
  /** The id of the payer's record. */
  readonly outsideId: number;
  readonly claimDelayMs: number;
}

/**
 * What happens after our node has reported a settlement, other than that it is final at once. `lost`: the money goes back to the payer, as when
 * LND is killed between the report and the claim. `unproven`: it arrives, and the node never says so.
 */
export interface AfterReport {
  readonly end: 'final' | 'lost' | 'unproven';
  /** Undefined: until the test ends it. */
  readonly afterMs?: number | undefined;
}

/** A payment that our node sends or has sent. */
export interface Outgoing {
  readonly paymentHash: string;
  readonly amountMsat: Msat;
  readonly outcome: PaymentOutcome;
  readonly marker: string;
  /** Undefined for a keysend. */
  readonly paymentRequest?: string | undefined;
  /** Unix seconds. */
  readonly createdAt: number;
  /** Unix seconds. */
  readonly endedAt?: number | undefined;
}

/** Our payment on its way to the receiver. Contains all data to complete it, because our node may lose its own row in a restore. */
export interface Arrival {
  readonly paymentId: string;
  readonly paymentHash: string;
  readonly preimage: string;
  readonly amountMsat: Msat;
  readonly feeMsat: Msat;
  /** The id of the receiver's record. */
  readonly outsideId: number;
}

/** An invoice of an outside node. */
export interface OutsideInvoiceRow {
  readonly preimage: string;
  readonly paymentRequest: string;
  readonly at: OutsidePayment['node'];
  readonly amountMsat?: Msat | undefined;
  readonly expiresAt: number;
  readonly hold: boolean;
  readonly script: PaymentScript;
  readonly state: 'open' | 'held' | 'settled' | 'cancelled';
}

/** The action of a timer. Stored as data, because the process may be killed before the timer fires. */
export type TimerAction =
  | { readonly type: 'arrive'; readonly arrival: Arrival }
  | { readonly type: 'fail'; readonly paymentId: string; readonly reason: FailureReason }
  | { readonly type: 'claim'; readonly paymentHash: string }
  | { readonly type: 'end-settlement'; readonly paymentHash: string }
  | { readonly type: 'give-up'; readonly outsideId: number }
  | { readonly type: 'release' };

export interface Timer {
  /** Unix milliseconds. */
  readonly dueMs: number;
  readonly deed: TimerAction;
}

type WithoutPosition<T> = T extends NodeEvent ? Omit<T, 'position'> : never;
/** An event without a position. */
export type NewEvent = WithoutPosition<NodeEvent>;

/** Our node's data. A restore from a backup replaces it. */
interface NodeTables {
  readonly ourInvoices: OurInvoice;
  readonly receipts: Receipt;
  readonly outgoing: Outgoing;
  readonly events: NodeEvent;
  /** Overtaken events that are not written yet. */
  readonly overtaken: NewEvent;
  /** The ledger that the node belongs to, under `id`. */
  readonly ledger: string;
}

/** The data of the other nodes and of the simulation. A restore of our node does not change it. */
interface NetworkTables {
  readonly outsideInvoices: OutsideInvoiceRow;
  readonly outsidePayments: OutsidePayment;
  /** By payment hash. */
  readonly held: Arrival;
  readonly timers: Timer;
  readonly counters: number;
  readonly balance: Msat;
}

export type Rows = NodeTables & NetworkTables;
export type TableName = keyof Rows;
export const NODE_TABLES = ['ourInvoices', 'receipts', 'outgoing', 'events', 'overtaken', 'ledger'] as const satisfies readonly TableName[];
export const NETWORK_TABLES = [
  'outsideInvoices',
  'outsidePayments',
  'held',
  'timers',
  'counters',
  'balance',
] as const satisfies readonly TableName[];
export const TABLE_NAMES = [...NODE_TABLES, ...NETWORK_TABLES] as const;

/** The whole state of a fake network, as plain data. */
export type FakeState = { readonly [N in TableName]: Readonly<Record<string, Rows[N]>> };

/** Called for every change. `row` is undefined after a deletion. */
export type OnChange = (table: TableName, key: string, row: unknown) => void;

/** Rows by key, in the order of insertion. */
export class Table<T> {
  readonly #rows = new Map<string, T>();
  readonly #changed: (key: string, row: T | undefined) => void;

  constructor(changed: (key: string, row: T | undefined) => void = () => undefined) {
    this.#changed = changed;
  }

  get size(): number {
    return this.#rows.size;
  }

  get(key: string | number): T | undefined {
    return this.#rows.get(String(key));
  }

  put(key: string | number, row: T): void {
    this.#rows.set(String(key), row);
    this.#changed(String(key), row);
  }

  delete(key: string | number): void {
    if (this.#rows.delete(String(key))) this.#changed(String(key), undefined);
  }

  clear(): void {
    for (const key of [...this.#rows.keys()]) this.delete(key);
  }

  entries(): IterableIterator<[string, T]> {
    return this.#rows.entries();
  }

  values(): IterableIterator<T> {
    return this.#rows.values();
  }
}

export type Tables = { readonly [N in TableName]: Table<Rows[N]> };

export function makeTables(changed: OnChange = () => undefined): Tables {
  return Object.fromEntries(TABLE_NAMES.map((name) => [name, new Table((key, row) => changed(name, key, row))])) as unknown as Tables;
}

/** Replaces all rows of the given tables. */
export function fill(tables: Tables, state: Partial<FakeState>): void {
  for (const [name, rows] of Object.entries(state)) {
    const table = tables[name as TableName] as Table<unknown>;
    table.clear();
    for (const [key, row] of Object.entries(rows)) table.put(key, row);
  }
}

/** Returns a copy of the tables. Later changes do not affect it, because rows are immutable. */
export function copyOf<N extends TableName>(tables: Tables, names: readonly N[]): Pick<FakeState, N> {
  return Object.fromEntries(names.map((name) => [name, Object.fromEntries(tables[name].entries())])) as unknown as Pick<FakeState, N>;
}
