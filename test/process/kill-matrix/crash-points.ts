import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** An order of the test to the service that it kills. */
export type Order =
  /** From now on every point is recorded, and the process kills itself at `point`, if it is given. */
  | { readonly kind: 'arm'; readonly point: string | undefined; readonly position: number; readonly isFinalLater: boolean }
  /** Requests the points that were passed since. */
  | { readonly kind: 'report'; readonly position: number }
  /** The response is sent when the service is idle. */
  | { readonly kind: 'rest'; readonly position: number };

/** The response to each order, sent when every event up to `position` is booked, no transaction runs, and nothing waits to be sent to others. */
export interface Report {
  readonly passed: readonly string[];
}

/** The points where the process can be killed, recorded as they are passed. At one of them it kills itself. */
export class CrashPoints {
  readonly #moved = new EventEmitter().setMaxListeners(0);
  readonly #times = new Map<string, number>();
  #passed: string[] | undefined;
  #armed: string | undefined;
  readonly #transactions = new Map<string, number>();
  #running = 0;
  #keptPosition = -1;
  #isFinalLater = false;

  /** Whether points are recorded: during an operation, not during the recovery at the start. */
  get isRecording(): boolean {
    return this.#passed !== undefined;
  }

  /** Whether the node cannot prove a payment when it reports it, only later. */
  get isFinalLater(): boolean {
    return this.#isFinalLater;
  }

  /** Passes a point. A repeated name gets a number. */
  pass(name: string): void {
    if (!this.#passed) return;
    const times = (this.#times.get(name) ?? 0) + 1;
    this.#times.set(name, times);
    const point = times === 1 ? name : `${name} (${times})`;
    this.#passed.push(point);
    // The kernel runs no further instruction of the process.
    if (point === this.#armed) process.kill(process.pid, 'SIGKILL');
  }

  /** @returns the transaction's name: its kind and a number. */
  beginTransaction(kind: string): string {
    this.#running += 1;
    const number = (this.#transactions.get(kind) ?? 0) + 1;
    this.#transactions.set(kind, number);
    return `${kind} ${number}`;
  }

  endTransaction(): void {
    this.#running -= 1;
    this.#moved.emit('moved');
  }

  /** Returns the position from which a start would read the node's events. */
  keepPosition(position: number): void {
    this.#keptPosition = position;
    this.#moved.emit('moved');
  }

  /** @param isSending returns whether a response or a receipt waits to be sent */
  async obey(order: Order, isSending: () => Promise<boolean>): Promise<Report> {
    do {
      while (this.#running > 0 || this.#keptPosition < order.position) await once(this.#moved, 'moved');
      while (await isSending()) await delay(5);
    } while (this.#running > 0);
    const passed = this.#passed ?? [];
    if (order.kind === 'arm') {
      this.#armed = order.point;
      this.#isFinalLater = order.isFinalLater;
      this.#passed = [];
      this.#transactions.clear();
      this.#times.clear();
    }
    if (order.kind === 'report') this.#passed = undefined;
    return { passed };
  }
}
