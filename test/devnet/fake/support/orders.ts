import type { FakeNetwork } from '../../../../devnet/fake/fake.ts';
import type { InvoiceOptions } from '../../../../devnet/fake/outside.ts';
import { msat } from '../../../../src/core/kernel/money.ts';
import type { LightningNode, NodeEvent, PaymentOrder, Position } from '../../../../src/core/lightning/node.ts';

export interface OrderOptions extends InvoiceOptions {
  readonly paymentId?: string;
  readonly feeLimitMsat?: number;
}

let made = 0;

/** An order for a new invoice of an outside node. */
export function orderFor(net: FakeNetwork, options: OrderOptions = {}): PaymentOrder {
  const { paymentId = `payment ${made++}`, feeLimitMsat = 0, ...invoice } = options;
  const amountMsat = msat(invoice.amountMsat ?? 10_000);
  return { paymentId, ...net.outside.invoice({ ...invoice, amountMsat }), amountMsat, marker: '00', feeLimitMsat: msat(feeLimitMsat) };
}

/** Returns all events up to now. */
export function eventsOf(net: FakeNetwork): NodeEvent[] {
  return Object.values(net.state().events);
}

/** Returns the reported outcomes of payments, in order. */
export function reportedOutcomes(net: FakeNetwork, paymentId?: string): string[] {
  const events = eventsOf(net).filter((event) => event.type === 'payment');
  return events.filter((event) => !paymentId || event.paymentId === paymentId).map((event) => event.outcome.state);
}

/** Reads this many events, then ends the watch. */
export async function watchSome(node: LightningNode, count: number, position?: Position): Promise<NodeEvent[]> {
  const events: NodeEvent[] = [];
  for await (const event of node.watch(position, AbortSignal.timeout(30_000))) {
    events.push(event);
    if (events.length === count) break;
  }
  return events;
}

/** Returns whether a promise settles within a few turns of the event loop. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  return settled;
}
