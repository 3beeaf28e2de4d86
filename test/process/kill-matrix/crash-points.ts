import { EventEmitter, once } from 'node:events';

/** What the test asks of the service under the knife. */
export type Order =
  /** From now on every point is recorded, and the process dies at `point`, if one is given. */
  | { readonly ask: 'arm'; readonly point: string | undefined; readonly position: number }
  /** Which points were passed since. */
  | { readonly ask: 'report'; readonly position: number }
  /** Answered when it has come to rest. */
  | { readonly ask: 'rest'; readonly position: number };

/** The answer to each order, given when everything up to the node's event at `position` is booked and no transaction runs. */
export interface Report {
  readonly passed: readonly string[];
}

/** The places where the process may die, discovered as they are passed. At one of them it does. */
export class CrashPoints {
  readonly #moved = new EventEmitter().setMaxListeners(0);
  readonly #times = new Map<string, number>();
  #passed: string[] | undefined;
  #armed: string | undefined;
  readonly #transactions = new Map<string, number>();
  #running = 0;
  #keptPosition = -1;

  /** Whether an operation is under test. Recovery at the start is not. */
  get isRecording(): boolean {
    return this.#passed !== undefined;
  }

  /** The process is at this point; a name that comes again gets a number. */
  pass(name: string): void {
    if (!this.#passed) return;
    const times = (this.#times.get(name) ?? 0) + 1;
    this.#times.set(name, times);
    const point = times === 1 ? name : `${name} (${times})`;
    this.#passed.push(point);
    // The process kills itself, and the kernel runs no further instruction of it.
    if (point === this.#armed) process.kill(process.pid, 'SIGKILL');
  }

  /** @returns the transaction's name: its kind with a number. */
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

  /** The position of the node's events that a start would read from. */
  keepPosition(position: number): void {
    this.#keptPosition = position;
    this.#moved.emit('moved');
  }

  async obey(order: Order): Promise<Report> {
    while (this.#running > 0 || this.#keptPosition < order.position) await once(this.#moved, 'moved');
    const passed = this.#passed ?? [];
    if (order.ask === 'arm') {
      this.#armed = order.point;
      this.#passed = [];
      this.#transactions.clear();
      this.#times.clear();
    }
    if (order.ask === 'report') this.#passed = undefined;
    return { passed };
  }
}
