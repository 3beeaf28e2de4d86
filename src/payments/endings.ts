import type { Receipt } from '../ledger/posting.ts';
import type { Payment } from './payment.ts';

/** A payment as it is after this process has booked its end, and the receipt of that posting. */
export interface Ended {
  readonly payment: Payment;
  readonly receipt: Receipt;
}

type Waiter = (ended?: Ended) => void;

/** Tells requests that wait for a payment that this process has booked its end. */
export class Endings {
  readonly #waiters = new Map<string, Set<Waiter>>();
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** `ended` is absent when somebody else booked the end: then only the database has the result. */
  announce(paymentId: string, ended?: Ended): void {
    for (const waiter of this.#waiters.get(paymentId) ?? []) waiter(ended);
  }

  /** Resolves at the payment's end if it is announced from now on, otherwise with undefined after `ms` or when this is closed. */
  next(paymentId: string, ms: number): Promise<Ended | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(paymentId) ?? new Set();
      this.#waiters.set(paymentId, waiters);
      const finish: Waiter = (ended) => {
        clearTimeout(timer);
        waiters.delete(finish);
        if (waiters.size === 0) this.#waiters.delete(paymentId);
        resolve(ended);
      };
      const timer = setTimeout(finish, ms);
      waiters.add(finish);
    });
  }

  /** Ends all waiting, now and later. */
  close(): void {
    this.#isClosed = true;
    for (const waiters of [...this.#waiters.values()]) for (const waiter of [...waiters]) waiter();
  }
}
