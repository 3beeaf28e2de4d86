import type { Receipt } from '../ledger/ledger.ts';
import type { Payment } from './payment.ts';

/** A payment whose outcome this process has booked, and the receipt of that posting. */
export interface EndedPayment {
  readonly payment: Payment;
  readonly receipt: Receipt;
}

type Waiter = (ended?: EndedPayment) => void;

/** Notifies waiting requests of the payments whose outcome this process has booked. */
export class Endings {
  readonly #waiters = new Map<string, Set<Waiter>>();
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** `ended` is undefined if the outcome was booked elsewhere. Then only the database has it. */
  announce(paymentId: string, ended?: EndedPayment): void {
    for (const waiter of this.#waiters.get(paymentId) ?? []) waiter(ended);
  }

  /** Resolves when the payment is announced. Resolves with undefined after `ms`, or when `close` is called. */
  next(paymentId: string, ms: number): Promise<EndedPayment | undefined> {
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

  /** Resolves all present and future calls of `next` with undefined. */
  close(): void {
    this.#isClosed = true;
    for (const waiters of [...this.#waiters.values()]) for (const waiter of [...waiters]) waiter();
  }
}
