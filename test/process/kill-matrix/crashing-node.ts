import { eventNumber } from '../../../devnet/event-position.ts';
import type { LightningNode, NodeEvent, PaymentOutcome, Position } from '../../../src/core/lightning/node.ts';
import type { CrashPoints } from './crash-points.ts';

/**
 * A node with a point before and after each call, each event and each call of the guard. It also reports the end of each payment as an event.
 * While points are recorded, the event comes after the response is booked, so that the points have the same order in every run.
 */
export class CrashingNode {
  readonly #points: CrashPoints;
  readonly #responses = new Map<string, Promise<void>>();
  #ended: (() => void)[] = [];

  constructor(points: CrashPoints) {
    this.#points = points;
  }

  /** A payment's end was committed. */
  paymentEnded(): void {
    for (const resolve of this.#ended.splice(0)) resolve();
  }

  around(node: LightningNode): LightningNode {
    const bound = methodsOf(node);
    const { settleHoldInvoice } = bound;
    return {
      ...bound,
      ...(settleHoldInvoice && {
        settleHoldInvoice: (preimage: string) => this.#call('settleHoldInvoice', () => settleHoldInvoice(preimage)),
      }),
      createInvoice: (request) => this.#call('createInvoice', () => node.createInvoice(request)),
      settlementFinality: (settlement, waitMs) =>
        this.#call('settlementFinality', async () => {
          // Only the report of a payment is waited for.
          if (this.#points.isFinalLater && waitMs > 0) return { state: 'unknown', reason: 'it is final later' };
          return node.settlementFinality(settlement, waitMs);
        }),
      cancelInvoice: (hash) => this.#call('cancelInvoice', () => node.cancelInvoice(hash)),
      pay: (order) => this.#send(order.paymentId, () => this.#call('pay', () => node.pay(order))),
      keysend: (order) => this.#send(order.paymentId, () => this.#call('keysend', () => node.keysend(order))),
      guardIncoming: (guard) => node.guardIncoming((incoming) => this.#call('guard', () => guard(incoming))),
      watch: (position, signal) => this.#watch(node, position, signal),
    };
  }

  async #call<T>(name: string, call: () => Promise<T>): Promise<T> {
    this.#points.pass(`${name} before`);
    const response = await call();
    this.#points.pass(`${name} after`);
    return response;
  }

  #send(paymentId: string, call: () => Promise<PaymentOutcome>): Promise<PaymentOutcome> {
    const { promise: booked, resolve } = Promise.withResolvers<void>();
    if (this.#points.isRecording) this.#responses.set(paymentId, booked);
    const sending = call();
    sending.then(({ state }) => (state === 'pending' ? resolve() : this.#ended.push(resolve)), resolve);
    return sending;
  }

  async *#watch(node: LightningNode, position: Position | undefined, signal: AbortSignal): AsyncGenerator<NodeEvent> {
    this.#points.keepPosition(eventNumber(position));
    for await (const event of node.watch(position, signal)) {
      if (event.type === 'payment') await this.#responses.get(event.paymentId);
      this.#points.pass(`${event.type} event before`);
      yield event;
      this.#points.pass(`${event.type} event after`);
    }
  }
}

/** Returns the node with methods that need no receiver: those of a class are not its own properties. */
function methodsOf(node: LightningNode): LightningNode {
  const prototype: object = Object.getPrototypeOf(node);
  const names = prototype === Object.prototype ? [] : Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor');
  const entries = names.map((name) => {
    const value: unknown = Reflect.get(node, name);
    return [name, typeof value === 'function' ? value.bind(node) : value];
  });
  return { ...node, ...Object.fromEntries(entries) };
}
