import type { Msat } from '../../src/kernel/money.ts';
import type { CustomRecords, FailureReason, NodeEvent, PaymentOutcome } from '../../src/lightning/node.ts';
import type { OutsidePayment } from '../../src/lightning/test-network.ts';
import type { PaymentScript } from './script.ts';

/** An invoice of our node. */
export interface OurInvoice {
  readonly preimage: string;
  readonly paymentRequest: string;
  /** Undefined: any amount. */
  readonly amountMsat?: Msat | undefined;
  /** Unix seconds. */
  readonly expiresAt: number;
  readonly cancelled: boolean;
}

/** A payment at our door: `asked` until the guard has decided, then `claiming`, then `settled`. One per payment hash. */
export interface Receipt {
  readonly askId: number;
  readonly state: 'asked' | 'claiming' | 'settled';
  readonly preimage: string;
  readonly amountMsat: Msat;
  readonly keysend: boolean;
  readonly customRecords: CustomRecords;
  /** The payer's own record. */
  readonly outsideId: number;
  readonly claimDelayMs: number;
}

/** What our node pays, or has paid. */
export interface Outgoing {
  readonly paymentHash: string;
  readonly amountMsat: Msat;
  readonly outcome: PaymentOutcome;
}

/** One of our payments that has arrived at its receiver: what is needed to end it, even if our node forgets it meanwhile. */
export interface Arrival {
  readonly paymentId: string;
  readonly paymentHash: string;
  readonly preimage: string;
  readonly amountMsat: Msat;
  readonly feeMsat: Msat;
  /** The receiver's own record. */
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

/** Something that happens by itself later; as data, because the process may be killed in between. */
export type Deed =
  | { readonly type: 'arrive'; readonly arrival: Arrival }
  | { readonly type: 'fail'; readonly paymentId: string; readonly reason: FailureReason }
  | { readonly type: 'claim'; readonly paymentHash: string }
  | { readonly type: 'give-up'; readonly outsideId: number }
  | { readonly type: 'release' };

export interface Timer {
  readonly dueMs: number;
  readonly deed: Deed;
}

type WithoutPosition<T> = T extends NodeEvent ? Omit<T, 'position'> : never;
/** An event that has no position yet. */
export type NewEvent = WithoutPosition<NodeEvent>;

/** The node's own memory, which a restore from a backup takes back … */
interface NodeTables {
  readonly ourInvoices: OurInvoice;
  readonly receipts: Receipt;
  readonly outgoing: Outgoing;
  readonly events: NodeEvent;
  /** Events that were overtaken and are not written yet. */
  readonly overtaken: NewEvent;
  /** The ledger that the node belongs to, under `id`. */
  readonly ledger: string;
}

/** … and what is true outside of it, whatever it remembers. */
interface WorldTables {
  readonly outsideInvoices: OutsideInvoiceRow;
  readonly outsidePayments: OutsidePayment;
  /** By payment hash. */
  readonly held: Arrival;
  readonly timers: Timer;
  readonly counters: number;
  readonly balance: Msat;
}

export type Rows = NodeTables & WorldTables;
export type TableName = keyof Rows;
export const NODE_TABLES = ['ourInvoices', 'receipts', 'outgoing', 'events', 'overtaken', 'ledger'] as const satisfies readonly TableName[];
export const WORLD_TABLES = [
  'outsideInvoices',
  'outsidePayments',
  'held',
  'timers',
  'counters',
  'balance',
] as const satisfies readonly TableName[];
export const TABLE_NAMES = [...NODE_TABLES, ...WORLD_TABLES] as const;

/** Everything that a fake network knows, as plain data. */
export type FakeState = { readonly [N in TableName]: Readonly<Record<string, Rows[N]>> };

/** Hears of every change: undefined when the row is gone. */
export type OnChange = (table: TableName, key: string, row: unknown) => void;

/** Rows by key, in the order in which their keys came. */
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

/** Puts rows in place of those that are there. */
export function fill(tables: Tables, state: Partial<FakeState>): void {
  for (const [name, rows] of Object.entries(state)) {
    const table = tables[name as TableName] as Table<unknown>;
    table.clear();
    for (const [key, row] of Object.entries(rows)) table.put(key, row);
  }
}

/** A copy that later changes do not reach: rows are never changed in place. */
export function copyOf<N extends TableName>(tables: Tables, names: readonly N[]): Pick<FakeState, N> {
  return Object.fromEntries(names.map((name) => [name, Object.fromEntries(tables[name].entries())])) as unknown as Pick<FakeState, N>;
}
