import type { NodeConnection } from '../../core/connection/connection.ts';
import { closeToOutside } from '../../core/invoices/close.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { satText } from '../../core/kernel/money.ts';
import type { InvoiceStatus } from '../../core/lightning/node.ts';
import { lookUpInvoice, settleHoldInvoice } from '../../core/lightning/responses.ts';
import { type Action, ActionRefused, readAction } from './actions.ts';
import * as sql from './operator.sql.ts';
import type { OperatorModules } from './operator.ts';

/**
 * Settles or cancels a payment that a node holds and about which no wallet decides. What the node holds is stored as evidence before it is called:
 * from then on the action is never refused on suspicion, but repeated until the node reports the end of the payment. A settled payment is booked
 * when the node reports it, as every receipt is: to suspense, unless the ledger has an invoice that was cancelled.
 */
export async function endUnknownHold(modules: OperatorModules, action: Action): Promise<void> {
  const { subject: paymentHash, target: nodeId, kind } = action;
  const connection = modules.connections.find(nodeId);
  if (!connection) throw new ActionRefused(`There is no node ${nodeId}.`);
  if (action.evidence === null) await storeWhatIsHeld(modules, connection, action);
  const end = kind === 'settle_held' ? await settle(connection, action) : await cancel(connection, paymentHash);
  const { database, clock } = modules;
  await database.transaction((tx) => tx.run(sql.endAction, action.id, end.state, end.answer, unixSeconds(clock)));
}

interface End {
  readonly state: 'done' | 'refused';
  readonly answer: string;
}

type Held = Extract<InvoiceStatus, { state: 'held' }>;

/** @throws ActionRefused when nothing is held that an operator may decide about, and no instance has called the node. */
async function storeWhatIsHeld({ database, invoices }: OperatorModules, connection: NodeConnection, action: Action): Promise<void> {
  const held = await findHeld(connection, action.subject);
  const invoice = await invoices.findUndecided(action.subject);
  if (typeof held !== 'string' && !invoice) {
    const evidence = `the node holds ${satText(held.amountMsat)}; its first HTLC expires in ${held.blocksLeft} blocks`;
    return void (await database.transaction((tx) => tx.run(sql.storeEvidence, action.id, evidence)));
  }
  // Another instance may have called the node since the action was read.
  if ((await readAction(database, action.id)).evidence !== null) return;
  if (invoice)
    throw new ActionRefused(`The ledger has the invoice ${invoice.id} with this payment hash. Its wallet ${invoice.walletId} decides.`);
  throw new ActionRefused(String(held));
}

/** Returns the payment that the node holds, or why there is none to decide about. */
async function findHeld(connection: NodeConnection, paymentHash: string): Promise<Held | string> {
  try {
    const status = await connection.call((node) => lookUpInvoice(node, paymentHash));
    if (status?.state === 'held') return status;
    const state = status?.state ?? 'unknown';
    return `The node holds no payment with this payment hash; it lists the invoice as ${state}. \`satchel held list\` lists the held payments.`;
  } catch (error) {
    return `The node did not answer (${errorMessage(error)}). Nothing was settled or cancelled; try again.`;
  }
}

/** @throws when the outcome is unknown; calling again is safe */
async function settle(connection: NodeConnection, { subject, preimage }: Action): Promise<End> {
  const outcome = await connection.call((node) => settleHoldInvoice(node, preimage ?? ''));
  const status = await connection.call((node) => lookUpInvoice(node, subject));
  if (status?.state === 'settled') return { state: 'done', answer: `The node has settled ${satText(status.amountMsat)}. ${WHERE}` };
  if (outcome === 'settled' || status?.state === 'held' || status?.state === 'accepted')
    throw new Error(`the node returned ${outcome} and lists the invoice as ${status?.state ?? 'unknown'}`);
  return { state: 'refused', answer: 'The payment went back to its payer before it was settled. Nothing arrived.' };
}

const WHERE =
  'When the payment is final, it is in suspense: `satchel suspense list`. An invoice that was cancelled in the ledger is credited.';

/** @throws when the outcome is unknown; calling again is safe */
async function cancel(connection: NodeConnection, paymentHash: string): Promise<End> {
  const outside = await closeToOutside(connection, paymentHash);
  if (outside === 'settled') return { state: 'refused', answer: `The payment was settled before it was cancelled. ${WHERE}` };
  if (outside === 'accepted') throw new Error('the node is claiming the payment');
  if ((await connection.call(async (node) => node.hasHtlcOf?.(paymentHash))) === true)
    throw new Error('the node has cancelled the payment, but its HTLC has not left the channel');
  return { state: 'done', answer: 'The payment went back to its payer.' };
}
