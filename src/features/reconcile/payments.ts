import { readPages } from '../../core/db/pages.ts';
import type { Statement } from '../../core/db/statement.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { satText } from '../../core/kernel/money.ts';
import type { PaymentOutcome } from '../../core/lightning/node.ts';
import { lookUpPayment } from '../../core/lightning/responses.ts';
import { beginComparison, type Comparison, idAt, PAGE, reportContradiction, sweepWindow, type Visit, windowStart } from './compare.ts';
import { describePayment, referenceTo } from './pending.ts';
import * as sql from './reconcile.sql.ts';
import { type ReconciliationRun, readNodeFact, writeNodeFact } from './run.ts';

const FRESH = 'reconcile_payments_seen';
const WINDOW = 'reconcile_payments_window';
/** Ids are generated before their commit, by clocks that differ, so newer payments are compared again. */
const SETTLING_SECONDS = 60;

/**
 * Compares ended payments with the node: all that ended since the last run, those with an open alert, and some older ones. Internal payments
 * are skipped, because the node has no record of them.
 */
export async function comparePayments(run: ReconciliationRun): Promise<void> {
  const visitEnded = await beginComparison(run, comparisonOf(run));
  const visit: Visit<sql.ComparedPayment> = (rows) =>
    visitEnded(rows.filter(({ state, invoice_id }) => state !== 'pending' && invoice_id === null));
  await compareRemembered(run, visit);
  await compareFresh(run, visit);
  await sweepWindow(run, WINDOW, (after, limit) => run.database.all(sql.paymentsAfter, run.nodeId, after, limit), visit);
}

/** Compares payments that were remembered as pending and have ended since, or that the node did not answer for or had not ended. */
async function compareRemembered(run: ReconciliationRun, visit: Visit<sql.ComparedPayment>): Promise<void> {
  const pages = readPages(run.database, sql.endedSince, PAGE, (last) => [run.nodeId, last?.id ?? '']);
  for await (const rows of pages) {
    const again = await visit(rows);
    if (run.probe.stopReason !== undefined) return;
    const compared = rows.filter(({ id }) => !again.has(id));
    await writeEach(run, sql.forgetPending, compared);
  }
}

/** Compares payments created since the last run. Stores those that are pending, and those without a response, for the next run. */
async function compareFresh(run: ReconciliationRun, visit: Visit<sql.ComparedPayment>): Promise<void> {
  const settled = idAt(run.startedAt - SETTLING_SECONDS);
  let after = (await readNodeFact(run, FRESH)) ?? windowStart(run);
  for await (const rows of readPages(run.database, sql.paymentsAfter, PAGE, () => [run.nodeId, after])) {
    const again = await visit(rows);
    if (run.probe.stopReason !== undefined) return;
    const isOpen = ({ id, state, invoice_id }: sql.ComparedPayment) => invoice_id === null && (state === 'pending' || again.has(id));
    await writeEach(run, sql.rememberPending, rows.filter(isOpen));
    after = rows.at(-1)?.id ?? after;
    await writeNodeFact(run, FRESH, after < settled ? after : settled);
  }
}

async function writeEach({ database }: ReconciliationRun, statement: Statement, rows: readonly sql.ComparedPayment[]): Promise<void> {
  if (rows.length === 0) return;
  await database.transaction(async (tx) => {
    for (const { id } of rows) await tx.run(statement, id);
  });
}

function comparisonOf(run: ReconciliationRun): Comparison<sql.ComparedPayment, PaymentOutcome> {
  return {
    name: 'ended payments',
    counter: 'compared_payments',
    alerts: ['payment_contradicted'],
    find: sql.findPayment,
    lookUp: (node, payment) => lookUpPayment(node, referenceTo(payment)),
    // After a failure the node must neither have sent the money nor try to; after a success it must have sent it.
    agrees({ state, correction }, outcome) {
      if (state === 'pending') return true;
      const isGone = state === 'succeeded' || correction !== null;
      return isGone ? outcome?.state === 'succeeded' : outcome === undefined || outcome.state === 'failed';
    },
    async onDifference({ id, state, resolved }, outcome) {
      // An operator ended it, with evidence, because the node never will. If it succeeds after all, it is corrected.
      if (resolved === 1 && state === 'failed' && outcome?.state === 'pending') return true;
      if (outcome) await tryCorrection(run, id, outcome);
      return false;
    },
    onContradiction({ id, wallet_id, amount_msat: num_msat, state: ledger_state }, outcome) {
      const node_state = describePayment(outcome);
      const message = `${satText(num_msat)} of ${wallet_id}: ${ledger_state} in the ledger, ${node_state} at the node`;
      return reportContradiction(run, 'payment_contradicted', { id, wallet_id, num_msat, ledger_state, node_state }, message);
    },
  };
}

/** Reports the outcome to the payments, which may be able to correct the contradiction. */
async function tryCorrection({ payments, log }: ReconciliationRun, id: string, outcome: PaymentOutcome): Promise<void> {
  try {
    await payments.reportOutcome(id, outcome);
  } catch (error) {
    log.warn({ payment: id, reason: errorMessage(error) }, 'a contradiction could not be corrected');
  }
}
