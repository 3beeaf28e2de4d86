import type { OutsidePayment } from '../test-network.ts';
import type { NetworkState } from './network-state.ts';

type Key = Pick<OutsidePayment, 'node' | 'direction' | 'paymentHash'>;

/** The outside nodes' own payment records: one row per node, direction and payment hash. A restore of our node does not change them. */
export class OutsideRecords {
  readonly #network: NetworkState;
  readonly #ids = new Map<string, number>();
  readonly #waiters = new Map<number, Set<() => void>>();

  constructor(network: NetworkState) {
    this.#network = network;
    for (const payment of network.tables.outsidePayments.values()) this.#ids.set(keyOf(payment), payment.id);
  }

  /** Records the start of a payment. A retry after a failure reuses the row. @returns the row's id. */
  begin(payment: Key & Pick<OutsidePayment, 'amountMsat'>): number {
    const { outsidePayments } = this.#network.tables;
    const id = this.#ids.get(keyOf(payment)) ?? outsidePayments.size + 1;
    outsidePayments.put(id, { ...payment, id, feeMsat: 0 as OutsidePayment['feeMsat'], state: 'pending' });
    this.#ids.set(keyOf(payment), id);
    return id;
  }

  /** Records the final state of a payment. Later calls have no effect. */
  end(id: number, state: 'succeeded' | 'failed', feeMsat = 0): void {
    const payment = this.get(id);
    if (payment.state !== 'pending') return;
    this.#network.tables.outsidePayments.put(id, { ...payment, state, feeMsat: feeMsat as OutsidePayment['feeMsat'] });
    this.resolveWaiters(id);
  }

  get(id: number): OutsidePayment {
    const payment = this.#network.tables.outsidePayments.get(id);
    if (!payment) throw new Error(`outside payment ${id} does not exist`);
    return payment;
  }

  find(key: Key): OutsidePayment | undefined {
    const id = this.#ids.get(keyOf(key));
    return id === undefined ? undefined : this.get(id);
  }

  after(id: number, limit: number): OutsidePayment[] {
    const page: OutsidePayment[] = [];
    for (let next = id + 1; page.length < limit; next++) {
      const payment = this.#network.tables.outsidePayments.get(next);
      if (!payment) break;
      page.push(payment);
    }
    return page;
  }

  /** Returns the payment when it has ended, or in its current state after `waitMs`. */
  async final(id: number, waitMs: number): Promise<OutsidePayment> {
    if (this.get(id).state === 'pending') {
      const { promise, resolve } = Promise.withResolvers<void>();
      const waiters = this.#waiters.get(id) ?? new Set();
      this.#waiters.set(id, waiters.add(resolve));
      const cancelTimeout = this.#network.time.timeout(waitMs, resolve);
      await promise;
      cancelTimeout();
      waiters.delete(resolve);
    }
    return this.get(id);
  }

  /** Makes waiting {@link final} calls return the current state: those for one payment, or all without an id. */
  resolveWaiters(id?: number): void {
    for (const key of id === undefined ? [...this.#waiters.keys()] : [id]) {
      for (const waiter of this.#waiters.get(key) ?? []) waiter();
      this.#waiters.delete(key);
    }
  }
}

function keyOf({ node, direction, paymentHash }: Key): string {
  return `${node} ${direction} ${paymentHash}`;
}
