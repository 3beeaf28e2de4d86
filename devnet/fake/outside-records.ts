import type { OutsidePayment } from '../../src/lightning/test-network.ts';
import type { World } from './world.ts';

type Key = Pick<OutsidePayment, 'node' | 'direction' | 'paymentHash'>;

/** What the outside nodes say of their payments: one row per node, direction and payment hash. Nothing our node does or forgets changes it. */
export class OutsideRecords {
  readonly #world: World;
  readonly #ids = new Map<string, number>();
  readonly #waiters = new Map<number, Set<() => void>>();

  constructor(world: World) {
    this.#world = world;
    for (const payment of world.tables.outsidePayments.values()) this.#ids.set(keyOf(payment), payment.id);
  }

  /** A payment that has begun; a failed one of the same hash begins again. Returns its id. */
  begin(payment: Key & Pick<OutsidePayment, 'amountMsat'>): number {
    const { outsidePayments } = this.#world.tables;
    const id = this.#ids.get(keyOf(payment)) ?? outsidePayments.size + 1;
    outsidePayments.put(id, { ...payment, id, feeMsat: 0 as OutsidePayment['feeMsat'], state: 'pending' });
    this.#ids.set(keyOf(payment), id);
    return id;
  }

  /** How a payment ended, once. */
  end(id: number, state: 'succeeded' | 'failed', feeMsat = 0): void {
    const payment = this.get(id);
    if (payment.state !== 'pending') return;
    this.#world.tables.outsidePayments.put(id, { ...payment, state, feeMsat: feeMsat as OutsidePayment['feeMsat'] });
    this.answer(id);
  }

  get(id: number): OutsidePayment {
    const payment = this.#world.tables.outsidePayments.get(id);
    if (!payment) throw new Error(`there is no outside payment ${id}`);
    return payment;
  }

  find(key: Key): OutsidePayment | undefined {
    const id = this.#ids.get(keyOf(key));
    return id === undefined ? undefined : this.get(id);
  }

  after(id: number, limit: number): OutsidePayment[] {
    const page: OutsidePayment[] = [];
    for (let next = id + 1; page.length < limit; next++) {
      const payment = this.#world.tables.outsidePayments.get(next);
      if (!payment) break;
      page.push(payment);
    }
    return page;
  }

  /** The payment once it has ended, or as it is after `waitMs`. */
  async final(id: number, waitMs: number): Promise<OutsidePayment> {
    if (this.get(id).state === 'pending') {
      const { promise, resolve } = Promise.withResolvers<void>();
      const waiters = this.#waiters.get(id) ?? new Set();
      this.#waiters.set(id, waiters.add(resolve));
      const takeBack = this.#world.time.timeout(waitMs, resolve);
      await promise;
      takeBack();
      waiters.delete(resolve);
    }
    return this.get(id);
  }

  /** Answers whoever waits for a payment with what is so now; for all of them without an id. */
  answer(id?: number): void {
    for (const key of id === undefined ? [...this.#waiters.keys()] : [id]) {
      for (const waiter of this.#waiters.get(key) ?? []) waiter();
      this.#waiters.delete(key);
    }
  }
}

function keyOf({ node, direction, paymentHash }: Key): string {
  return `${node} ${direction} ${paymentHash}`;
}
