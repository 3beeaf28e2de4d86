import type { Tx } from '../../core/db/database.ts';
import { deleteFactIf, readFact, writeFact } from '../../core/db/facts.sql.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { newId } from '../../core/kernel/ids.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { satText } from '../../core/kernel/money.ts';
import type { InvoiceStatus } from '../../core/lightning/node.ts';
import { lookUpInvoice } from '../../core/lightning/responses.ts';
import { describeInvoice } from './pending.ts';
import * as sql from './reconcile.sql.ts';
import { MAX_LISTED } from './report.ts';
import { factOf, PAGE, type ReconciliationRun, reportContradiction } from './run.ts';
import { storeCursor, sweepWindow } from './sweep.ts';

const WINDOW = 'reconcile_invoices_window';
/** The fact that requests a comparison of all unsettled invoices. Its value is different for every request. */
const UNSETTLED_DUE = 'reconcile_unsettled_due';
/** How far that comparison has come. */
const UNSETTLED_CURSOR = 'reconcile_unsettled_cursor';

type Settled = Extract<InvoiceStatus, { state: 'settled' }>;

/** Compares invoices with the node. Books those that were paid at the node and not booked; raises an alert for the opposite. */
export async function compareInvoices(run: ReconciliationRun): Promise<void> {
  const alerted = {
    invoice_contradicted: new Set(await run.alerts.openSubjects('invoice_contradicted')),
    settlement_unbooked: new Set(await run.alerts.openSubjects('settlement_unbooked')),
  };
  const seen = new Set<string>();
  const visit = async (rows: readonly sql.ComparedInvoice[]) => {
    const unseen = rows.filter(({ id }) => !seen.has(id));
    for (const { id } of unseen) seen.add(id);
    return compareAll(run, unseen, alerted);
  };
  for (const id of new Set([...alerted.invoice_contradicted, ...alerted.settlement_unbooked])) {
    const invoice = await run.database.first(sql.findInvoice, id);
    if (invoice?.node_id === run.nodeId) await visit([invoice]);
  }
  await compareUnsettled(run, visit);
  await sweepWindow(run, {
    fact: factOf(WINDOW, run.nodeId),
    page: (after, limit) => run.database.all(sql.invoicesAfter, run.nodeId, after, limit),
    visit,
  });
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
async function compareUnsettled(run: ReconciliationRun, visit: (rows: readonly sql.ComparedInvoice[]) => Promise<unknown>): Promise<void> {
  const { database, nodeId } = run;
  const cursor = factOf(UNSETTLED_CURSOR, nodeId);
  const due = await database.first(readFact, factOf(UNSETTLED_DUE, nodeId));
  if (!due) return;
  let after = (await database.first(readFact, cursor))?.value ?? '';
  for (let isLast = false; !isLast; ) {
    const page = await database.all(sql.unsettledInvoicesAfter, nodeId, after, PAGE);
    await visit(page);
    if (run.probe.stopReason !== undefined) return;
    after = page.at(-1)?.id ?? after;
    isLast = page.length < PAGE;
    await storeCursor(run, cursor, after);
  }
  // If the node was restored again meanwhile, the value differs and the fact stays.
  await database.transaction((tx) => tx.run(deleteFactIf, factOf(UNSETTLED_DUE, nodeId), due.value));
}

interface AlertedInvoices {
  readonly invoice_contradicted: ReadonlySet<string>;
  readonly settlement_unbooked: ReadonlySet<string>;
}

async function compareAll(run: ReconciliationRun, rows: readonly sql.ComparedInvoice[], alerted: AlertedInvoices): Promise<void> {
  await run.probe.each(rows, async (invoice) => {
    const verdict = await compareOne(run, invoice);
    if (verdict !== 'agreed') return;
    for (const kind of ['invoice_contradicted', 'settlement_unbooked'] as const) {
      if (alerted[kind].has(invoice.id)) await run.alerts.clear(kind, invoice.id);
    }
  });
  run.progress = `invoices: ${run.compared.invoices}`;
}

async function compareOne(run: ReconciliationRun, invoice: sql.ComparedInvoice): Promise<'agreed' | 'different' | 'unanswered'> {
  const { probe } = run;
  const first = await probe.call((node) => lookUpInvoice(node, invoice.payment_hash));
  if (!first.answered) return 'unanswered';
  run.compared.invoices += 1;
  if (agree(invoice, first.value)) return 'agreed';
  // Either side may have changed between the two reads.
  const [again, now] = [
    await probe.call((node) => lookUpInvoice(node, invoice.payment_hash)),
    await run.database.first(sql.findInvoice, invoice.id),
  ];
  if (!again.answered) return 'unanswered';
  if (!now || agree(now, again.value)) return 'agreed';
  if (now.state !== 'settled' && again.value?.state === 'settled') return settleMissed(run, now, again.value);
  await recordContradiction(run, now, again.value);
  return 'different';
}

/**
 * Returns whether ledger and node agree. An invoice that was settled internally is unpaid at the node, or the second payment is in suspense.
 * One that was settled from outside was paid at the node with the same amount.
 */
function agree(ours: sql.ComparedInvoice, node: InvoiceStatus | undefined): boolean {
  const paidMsat = node?.state === 'settled' ? node.amountMsat : null;
  if (ours.state !== 'settled') return paidMsat === null;
  return paidMsat === (ours.inside === 1 ? ours.unmatched_msat : ours.received_msat);
}

/** Books a missed settlement. @returns `agreed` when it is booked. */
async function settleMissed(run: ReconciliationRun, invoice: sql.ComparedInvoice, paid: Settled): Promise<'agreed' | 'different'> {
  const { id: invoiceId, wallet_id: walletId, payment_hash: paymentHash } = invoice;
  const { amountMsat, preimage } = paid;
  const settledAt = unixSeconds(run.clock);
  const settlement = { type: 'settlement', paymentHash, amountMsat, preimage, settledAt, keysend: false, customRecords: {} } as const;
  const failure = await run.invoices.settle(settlement, run.nodeId).then(() => undefined, errorMessage);
  const booked = failure === undefined;
  if (run.missedSettlements.length < MAX_LISTED) run.missedSettlements.push({ invoiceId, walletId, paymentHash, amountMsat, booked });
  run.log.warn({ invoice: invoiceId, amountMsat, booked }, 'the node was paid for an invoice that was not booked');
  if (booked) return 'agreed';
  run.unbookedMsat.set(paymentHash, amountMsat);
  const message = `${satText(amountMsat)} for ${walletId} are not booked: ${failure}`;
  await run.alerts.raise({ kind: 'settlement_unbooked', subject: invoiceId, message });
  return 'different';
}

async function recordContradiction(run: ReconciliationRun, invoice: sql.ComparedInvoice, status: InvoiceStatus | undefined): Promise<void> {
  const { id, wallet_id: walletId, payment_hash: paymentHash } = invoice;
  const amountMsat = invoice.received_msat ?? 0;
  const state = describeInvoice({ answered: true, value: status });
  const node = status?.state === 'settled' ? `${state} with ${satText(status.amountMsat)}` : state;
  const ours = `settled ${invoice.inside === 1 ? 'internally' : 'from outside'} with ${satText(amountMsat)}`;
  const message = `${walletId}: ${ours} in the ledger, ${node} at the node`;
  await reportContradiction(run, { kind: 'invoice', id, walletId, paymentHash, amountMsat, ours, node }, message);
}
