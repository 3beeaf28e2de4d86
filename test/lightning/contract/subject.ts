import { createHash, randomBytes } from 'node:crypto';
import type { OutsidePayment, PlaygroundControl } from '../../../devnet/test-network.ts';
import { msat } from '../../../src/core/kernel/money.ts';
import type {
  IncomingPayment,
  KeysendOrder,
  LightningNode,
  NodeEvent,
  PaymentOrder,
  PaymentOutcome,
  PaymentReference,
  Position,
  Settlement,
} from '../../../src/core/lightning/node.ts';

/** An adapter under test, and the control of the other nodes: alice is its peer, carol is a peer of alice only. */
export interface Subject {
  readonly node: LightningNode;
  readonly control: PlaygroundControl;
}

/** The subject of a suite. Opening a node takes seconds, so its tests share one. */
export interface SharedSubject {
  subject(): Promise<Subject>;
  /** Closes the adapter and opens it again on the same node. */
  reopened(): Promise<Subject>;
}

/** Slightly less than the timeout of a test, so that a failed wait reports its name. */
export const DEADLINE_MS = 150_000;

export interface OrderOptions {
  readonly at?: 'alice' | 'carol';
  readonly amountMsat?: number;
  readonly feeLimitMsat?: number;
  readonly hold?: boolean;
  readonly amountless?: boolean;
  readonly expirySeconds?: number;
}

/** Returns an order to pay a new invoice of another node. */
export async function orderFor({ control }: Pick<Subject, 'control'>, options: OrderOptions = {}): Promise<PaymentOrder> {
  const { at = 'alice', hold = false, feeLimitMsat = 0, expirySeconds = 600 } = options;
  const amountMsat = msat(options.amountMsat ?? 1_000_000);
  const stated = options.amountless ? {} : { amountMsat };
  const invoice = await control.createInvoice({ ...stated, memo: 'tea', at, expirySeconds, hold });
  return {
    paymentId: crypto.randomUUID(),
    marker: randomBytes(70).toString('hex'),
    ...invoice,
    amountMsat,
    feeLimitMsat: msat(feeLimitMsat),
  };
}

export async function keysendFor({ control }: Pick<Subject, 'control'>, to: string): Promise<KeysendOrder> {
  const { nodes } = await control.describe();
  const preimage = randomBytes(32).toString('hex');
  return {
    paymentId: crypto.randomUUID(),
    marker: randomBytes(70).toString('hex'),
    destination: nodes.find((node) => node.name === to)?.pubkey as string,
    amountMsat: msat(3_000),
    feeLimitMsat: msat(5_000),
    preimage,
    paymentHash: sha256(preimage),
    customRecords: { '696969': '00' },
  };
}

/** Returns the outcome of a payment once it has ended. */
export async function endOf(node: LightningNode, payment: PaymentReference, reported: PaymentOutcome = { state: 'pending' }) {
  let outcome: PaymentOutcome | undefined = reported;
  const deadline = Date.now() + DEADLINE_MS;
  while (outcome?.state === 'pending' && Date.now() < deadline) {
    outcome = await node.lookupPayment(payment);
    if (outcome?.state === 'pending') await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return outcome;
}

/** Pays an order and returns its outcome once it has ended. */
export async function payToEnd(node: LightningNode, order: PaymentOrder) {
  return endOf(node, order, await node.pay(order));
}

/** Pays an order. @throws when it does not succeed. */
export async function paySuccessfully(node: LightningNode, order: PaymentOrder) {
  const outcome = await payToEnd(node, order);
  if (outcome?.state !== 'succeeded') throw new Error(`the payment has not succeeded: ${JSON.stringify(outcome)}`);
  return outcome;
}

/** Returns the events after `position`, up to the first that matches. */
export async function eventsUntil(
  node: LightningNode,
  matches: (event: NodeEvent) => boolean,
  position?: Position | undefined,
): Promise<NodeEvent[]> {
  const events: NodeEvent[] = [];
  for await (const event of node.watch(position, AbortSignal.timeout(DEADLINE_MS))) {
    events.push(event);
    if (matches(event)) return events;
  }
  throw new Error('the event was not reported');
}

export async function settlementOf(node: LightningNode, paymentHash: string): Promise<Settlement> {
  const event = (await eventsUntil(node, isSettlementOf(paymentHash))).at(-1);
  if (event?.type !== 'settlement') throw new Error('the settlement was not reported');
  return event;
}

export function isSettlementOf(paymentHash: string): (event: NodeEvent) => boolean {
  return (event) => event.type === 'settlement' && event.paymentHash === paymentHash;
}

export function isEndOf(paymentId: string): (event: NodeEvent) => boolean {
  return (event) => event.type === 'payment' && event.paymentId === paymentId;
}

/** Waits for a time of the real clock, because invoices expire in whole seconds of it. */
export async function waitUntilAfter(unixSeconds: number): Promise<void> {
  while (Date.now() < unixSeconds * 1000) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Waits until another node has begun to pay a payment hash. */
export async function waitUntilSent(control: PlaygroundControl, paymentHash: string): Promise<void> {
  for (let isSent = false; !isSent; ) {
    isSent = (await control.payments(0, 1_000)).some((payment) => payment.direction === 'sent' && payment.paymentHash === paymentHash);
  }
}

/** A guard that decides when the test does. `asked` resolves with the first payment that it is asked about. */
export function guardOnRequest(node: LightningNode) {
  const asked = Promise.withResolvers<IncomingPayment>();
  const decision = Promise.withResolvers<'claim' | 'refuse'>();
  node.guardIncoming((incoming) => {
    asked.resolve(incoming);
    return decision.promise;
  });
  return { asked: asked.promise, decide: decision.resolve };
}

/** Returns what another node has received for a payment hash. */
export async function received(control: PlaygroundControl, paymentHash: string): Promise<OutsidePayment | undefined> {
  const payments = await control.payments(0, 1_000);
  return payments.find((payment) => payment.direction === 'received' && payment.paymentHash === paymentHash);
}

export function sha256(hex: string): string {
  return createHash('sha256').update(Buffer.from(hex, 'hex')).digest('hex');
}
