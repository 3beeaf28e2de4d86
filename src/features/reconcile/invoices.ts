import type { Tx } from '../../core/db/database.ts';
import { deleteFactIf, writeFact } from '../../core/db/facts.sql.ts';
import { readPages } from '../../core/db/pages.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { newId } from '../../core/kernel/ids.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { satText } from '../../core/kernel/money.ts';
import type { InvoiceStatus } from '../../core/lightning/node.ts';
import { lookUpInvoice } from '../../core/lightning/responses.ts';
import { beginComparison, type Comparison, PAGE, reportContradiction, sweepWindow, type Visit } from './compare.ts';
import { describeInvoice } from './pending.ts';
import * as sql from './reconcile.sql.ts';
import { MAX_LISTED } from './reconciliation-object.ts';
import { factOf, type ReconciliationRun, readNodeFact, writeNodeFact } from './run.ts';

const WINDOW = 'reconcile_invoices_window';
/** The fact that requests a comparison of all unsettled invoices. Its value is different for every request. */
const UNSETTLED_DUE = 'reconcile_unsettled_due';
/** How far that comparison has come. */
const UNSETTLED_CURSOR = 'reconcile_unsettled_cursor';

/** Compares invoices with the node. Books those that were paid at the node and not booked; raises an alert for the opposite. */
export async function compareInvoices(run: ReconciliationRun): Promise<void> {
  const visit = await beginComparison(run, comparisonOf(run));
  await compareUnsettled(run, visit);
  await sweepWindow(run, WINDOW, (after, limit) => run.database.all(sql.invoicesAfter, run.nodeId, after, limit), visit);
}

/** Makes the next reconciliation compare all unsettled invoices of a node. Called when the node was restored from a backup. */
export async function requestUnsettledComparison(tx: Tx, nodeId: string): Promise<void> {
  await tx.run(writeFact, factOf(UNSETTLED_DUE, nodeId), newId());
  await tx.run(writeFact, factOf(UNSETTLED_CURSOR, nodeId), '');
}

/**
 * Compares all unsettled invoices, of any age, once after the node was restored from a backup: a payment around that time may have left no
 * event. Continues where an earlier run stopped.
 */
async function compareUnsettled(run: ReconciliationRun, visit: Visit<sql.ComparedInvoice>): Promise<void> {
  const { database, nodeId } = run;
  const due = await readNodeFact(run, UNSETTLED_DUE);
  if (due === undefined) return;
  let after = (await readNodeFact(run, UNSETTLED_CURSOR)) ?? '';
  for await (const page of readPages(database, sql.unsettledInvoicesAfter, PAGE, () => [nodeId, after])) {
    await visit(page);
    if (run.probe.stopReason !== undefined) return;
    after = page.at(-1)?.id ?? after;
    await writeNodeFact(run, UNSETTLED_CURSOR, after);
  }
  // If the node was restored again meanwhile, the value differs and the fact stays.
  await database.transaction((tx) => tx.run(deleteFactIf, factOf(UNSETTLED_DUE, nodeId), due));
}

function comparisonOf(run: ReconciliationRun): Comparison<sql.ComparedInvoice, InvoiceStatus> {
  return {
    name: 'invoices',
    counter: 'compared_invoices',
    alerts: ['invoice_contradicted', 'settlement_unbooked'],
    find: sql.findInvoice,
    lookUp: (node, invoice) => lookUpInvoice(node, invoice.payment_hash),
    // The node reports it as settled: it is asked until that is final, or the operator is alerted that it never arrived.
    isKnown: ({ state, never_arrived: neverArrived }) => state === 'arriving' || neverArrived === 1,
    // An invoice that was settled internally is unpaid at the node, or the second payment is in suspense. One that was settled from outside was
    // paid at the node with the same amount.
    agrees(invoice, status) {
      const paidMsat = status?.state === 'settled' ? status.amountMsat : null;
      if (invoice.state !== 'settled') return paidMsat === null;
      return paidMsat === (invoice.inside === 1 ? invoice.unmatched_msat : invoice.received_msat);
    },
    async onAgreement({ id, state, expires_at: expiresAt }, status) {
      const isPayable = state === 'open' && (expiresAt ?? 0) > unixSeconds(run.clock);
      if (isPayable && status?.state === 'cancelled') await run.invoices.noteClosedOutside(id);
    },
    onContradiction(invoice, status) {
      if (invoice.state !== 'settled' && status?.state === 'settled') return settleMissed(run, invoice, status);
      const { id, wallet_id, received_msat } = invoice;
      const num_msat = received_msat ?? 0;
      const state = describeInvoice(status);
      const node_state = status?.state === 'settled' ? `${state} with ${satText(status.amountMsat)}` : state;
      const ledger_state = `settled ${invoice.inside === 1 ? 'internally' : 'from outside'} with ${satText(num_msat)}`;
      const message = `${wallet_id}: ${ledger_state} in the ledger, ${node_state} at the node`;
      return reportContradiction(run, 'invoice_contradicted', { id, wallet_id, num_msat, ledger_state, node_state }, message);
    },
  };
}

/** Books a missed settlement, or stores that it is arriving. @returns `agreed` when it is booked. */
async function settleMissed(
  run: ReconciliationRun,
  { id, wallet_id, payment_hash: paymentHash }: sql.ComparedInvoice,
  { amountMsat, preimage }: Extract<InvoiceStatus, { state: 'settled' }>,
): Promise<'agreed' | 'different' | 'known'> {
  const settledAt = unixSeconds(run.clock);
  const settlement = { type: 'settlement', paymentHash, amountMsat, preimage, settledAt, keysend: false, customRecords: {} } as const;
  const [result, failure] = await run.invoices.settle(settlement, run.nodeId).then(
    (settled) => [settled, undefined] as const,
    (error) => [undefined, errorMessage(error)] as const,
  );
  if (result === 'arriving' || result === 'failed') return 'known';
  // The node's own report of it waited until it was final.
  if (result === 'booked_before') return 'agreed';
  const is_booked = failure === undefined;
  const { missed_settlements: missed } = run.findings;
  if (missed.length < MAX_LISTED) missed.push({ id, wallet_id, num_msat: amountMsat, is_booked });
  run.log.warn({ invoice: id, amountMsat, booked: is_booked }, 'the node was paid for an invoice that was not booked');
  if (is_booked) return 'agreed';
  run.unbookedMsat.set(paymentHash, amountMsat);
  const message = `${satText(amountMsat)} for ${wallet_id} are not booked: ${failure}`;
  const details = { lntx_id: id, wallet_id, ln_node_id: run.nodeId, amount_msat: amountMsat, reason: failure };
  await run.alerts.raise({ kind: 'settlement_unbooked', subject: id, message, details });
  return 'different';
}
