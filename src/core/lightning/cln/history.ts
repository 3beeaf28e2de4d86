import { randomBytes } from 'node:crypto';
import type { Position } from '../node.ts';
import type { Datastore } from './datastore.ts';
import type { ClnRpc, InvoiceRecord } from './rpc.ts';

export type Subsystem = 'invoices' | 'sendpays';
export type IndexName = 'created' | 'updated';

const COUNTERS = [
  ['invoices', 'created'],
  ['invoices', 'updated'],
  ['sendpays', 'created'],
  ['sendpays', 'updated'],
] as const;

const EPOCH = ['epoch'];

/** `<updated_index>-<beginning of the payment hash>-<epoch>` */
const POSITION = /^([1-9]\d{0,14})-([0-9a-f]{16})-([0-9a-f]{8})$/;

/**
 * Recognizes a node that was restored from an older backup. It has the same key and reports no error, but its counters move back, and it
 * reuses them for other invoices and payments. Three facts must hold:
 * - The datastore has the epoch, a random text that the adapter stores when it first reads events.
 * - No counter is below its highest value that this process has read.
 * - The invoice at the position is paid and has the payment hash of the position.
 */
export class NodeHistory {
  readonly #rpc: ClnRpc;
  readonly #datastore: Datastore;
  readonly #highest = new Map<string, number>();

  constructor(rpc: ClnRpc, datastore: Datastore) {
    this.#rpc = rpc;
    this.#datastore = datastore;
  }

  /** Records the value of a counter. */
  record(subsystem: Subsystem, index: IndexName, value: number): void {
    const key = `${subsystem}.${index}`;
    this.#highest.set(key, Math.max(value, this.#highest.get(key) ?? 0));
  }

  /** Returns the epoch, and stores one if the node has none. */
  async epoch(): Promise<string> {
    const stored = await this.#datastore.read(EPOCH);
    if (stored) return stored.text;
    const epoch = randomBytes(4).toString('hex');
    return (await this.#datastore.write(EPOCH, epoch)) ? epoch : await this.epoch();
  }

  /** Returns whether a counter is below an earlier value. The next call compares with the values that were read now. */
  async hasMovedBack(): Promise<boolean> {
    const now = await Promise.all(COUNTERS.map(async ([of, index]) => [of, index, await this.counter(of, index)] as const));
    const hasMoved = now.some(([of, index, value]) => value < (this.#highest.get(`${of}.${index}`) ?? 0));
    if (hasMoved) this.#highest.clear();
    for (const [of, index, value] of now) this.record(of, index, value);
    return hasMoved;
  }

  async counter(subsystem: Subsystem, indexname: IndexName): Promise<number> {
    const result = await this.#rpc.call('wait', { subsystem, indexname, nextvalue: 0 });
    return result[indexname] ?? 0;
  }

  async knows(position: Position): Promise<boolean> {
    const [, index = '', proof = '', epoch = ''] = POSITION.exec(position) ?? [];
    if ((await this.hasMovedBack()) || index === '') return false;
    if ((await this.#datastore.read(EPOCH))?.text !== epoch) return false;
    const { invoices } = await this.#rpc.call('listinvoices', { index: 'updated', start: Number(index), limit: 1 });
    const [invoice] = invoices;
    return invoice?.updated_index === Number(index) && invoice.status === 'paid' && invoice.payment_hash.startsWith(proof);
  }
}

/** Returns the position of a paid invoice. */
export function positionOf(invoice: InvoiceRecord, epoch: string): Position {
  return `${invoice.updated_index}-${invoice.payment_hash.slice(0, 16)}-${epoch}`;
}

/** Returns the `updated_index` of a position: 0 at the beginning. */
export function indexOf(position: Position | undefined): number {
  return Number(POSITION.exec(position ?? '')?.[1] ?? 0);
}
