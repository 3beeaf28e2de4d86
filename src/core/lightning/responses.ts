import type {
  CancelOutcome,
  HeldPayment,
  InvoiceStatus,
  LightningNode,
  PaymentOutcome,
  PaymentReference,
  SettlementFinality,
  SettlementReference,
  SettleOutcome,
} from './node.ts';
import type { NodeChannel } from './node-channel.ts';
import type { PaymentEvidence } from './payment-evidence.ts';
import type { Route, RouteQuery } from './route.ts';

/*
 * Reads from a node whose responses an operator or a comparison relies on. Only `undefined` has a meaning of its own: that the node has no
 * record, or that its adapter lacks the call. Any other value that the port does not allow, such as null, is unknown.
 */

/** The node's response is not one that its port allows, so what it means is unknown. */
export class NotUnderstood extends Error {
  override readonly name = 'NotUnderstood';

  constructor(call: keyof LightningNode) {
    super(`the response of the node to ${call} is not understood`);
  }
}

const PAYMENT_STATES: readonly unknown[] = ['pending', 'succeeded', 'failed'] satisfies PaymentOutcome['state'][];
const INVOICE_STATES: readonly unknown[] = ['open', 'accepted', 'held', 'cancelled', 'settled'] satisfies InvoiceStatus['state'][];

const CANCEL_OUTCOMES: readonly unknown[] = ['cancelled', 'accepted', 'settled', 'unknown'] satisfies CancelOutcome[];

/** Cancels an invoice at the node. @throws NotUnderstood */
export async function cancelInvoice(node: LightningNode, paymentHash: string): Promise<CancelOutcome> {
  const outcome = await node.cancelInvoice(paymentHash);
  if (!CANCEL_OUTCOMES.includes(outcome)) throw new NotUnderstood('cancelInvoice');
  return outcome;
}

/** Returns undefined when the node has no record of the payment. @throws NotUnderstood */
export async function lookUpPayment(node: LightningNode, payment: PaymentReference): Promise<PaymentOutcome | undefined> {
  const outcome = await node.lookupPayment(payment);
  if (outcome !== undefined && !PAYMENT_STATES.includes(outcome?.state)) throw new NotUnderstood('lookupPayment');
  return outcome;
}

/** Returns undefined when the node has no record of the invoice. @throws NotUnderstood */
export async function lookUpInvoice(node: LightningNode, paymentHash: string): Promise<InvoiceStatus | undefined> {
  const status = await node.lookupInvoice(paymentHash);
  if (status !== undefined && !INVOICE_STATES.includes(status?.state)) throw new NotUnderstood('lookupInvoice');
  if (status?.state === 'held' && !(isWhole(status.amountMsat, 1) && Number.isSafeInteger(status.blocksLeft)))
    throw new NotUnderstood('lookupInvoice');
  return status;
}

const SETTLE_OUTCOMES: readonly unknown[] = ['settled', 'open', 'cancelled', 'unknown'] satisfies SettleOutcome[];

/** Settles a hold invoice at the node. @throws NotUnderstood, Error if the adapter has no hold invoices */
export async function settleHoldInvoice(node: LightningNode, preimage: string): Promise<SettleOutcome> {
  if (!node.settleHoldInvoice) throw new Error('the node has no hold invoices');
  const outcome = await node.settleHoldInvoice(preimage);
  if (!SETTLE_OUTCOMES.includes(outcome)) throw new NotUnderstood('settleHoldInvoice');
  return outcome;
}

/** Returns the payments of hold invoices that wait at the node; none if the adapter has no hold invoices. @throws NotUnderstood */
export async function listHeldPayments(node: LightningNode): Promise<readonly HeldPayment[]> {
  if (!node.listHeldPayments) return [];
  const held = await node.listHeldPayments();
  const isUnderstood = Array.isArray(held) && held.every((one) => isWhole(one.amountMsat, 1) && Number.isSafeInteger(one.blocksLeft));
  if (!isUnderstood) throw new NotUnderstood('listHeldPayments');
  return held;
}

function isWhole(value: unknown, least: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= least;
}

/** Returns whether a settlement is final. A response that is not understood is `unknown`. */
export async function settlementFinality(
  node: LightningNode,
  settlement: SettlementReference,
  waitMs: number,
): Promise<SettlementFinality> {
  const finality = await node.settlementFinality(settlement, waitMs);
  if (finality?.state === 'failed' || finality?.state === 'unknown') return finality;
  const { state, amountMsat } = finality ?? {};
  if (state === 'final' && (amountMsat === undefined || (Number.isSafeInteger(amountMsat) && amountMsat > 0))) return finality;
  return { state: 'unknown', reason: 'the response of the node is not understood' };
}

/** Returns undefined when the adapter cannot collect evidence. @throws NotUnderstood */
export async function collectEvidence(node: LightningNode, payment: PaymentReference): Promise<PaymentEvidence | undefined> {
  if (!node.collectEvidence) return undefined;
  const evidence = await node.collectEvidence(payment);
  if (!Array.isArray(evidence?.items) || typeof evidence.provesFailure !== 'boolean') throw new NotUnderstood('collectEvidence');
  return evidence;
}

/** Returns undefined when the adapter cannot find routes. @throws NotUnderstood */
export async function queryRoutes(node: LightningNode, query: RouteQuery): Promise<readonly Route[] | undefined> {
  if (!node.queryRoutes) return undefined;
  const routes = await node.queryRoutes(query);
  if (!Array.isArray(routes)) throw new NotUnderstood('queryRoutes');
  return routes;
}

/** Returns undefined when the adapter cannot list channels. @throws NotUnderstood, NotPermitted */
export async function listChannels(node: LightningNode): Promise<readonly NodeChannel[] | undefined> {
  if (!node.listChannels) return undefined;
  const channels = await node.listChannels();
  if (!Array.isArray(channels)) throw new NotUnderstood('listChannels');
  return channels;
}
