import { readFact } from '../../core/db/facts.sql.ts';
import type { Statement } from '../../core/db/statement.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { satText } from '../../core/kernel/money.ts';
import type { PaymentOutcome } from '../../core/lightning/node.ts';
import { lookUpPayment } from '../../core/lightning/responses.ts';
import { describePayment, referenceTo } from './pending.ts';
import * as sql from './reconcile.sql.ts';
import { factOf, idAt, PAGE, type ReconciliationRun, reportContradiction, windowStart } from './run.ts';
import { storeCursor, sweepWindow } from './sweep.ts';

const FRESH = 'reconcile_payments_seen';
const WINDOW = 'reconcile_payments_window';
/** Ids are generated before their commit, by clocks that differ, so newer payments are compared again. */
const SETTLING_SECONDS = 60;

/**
 * Compares ended payments with the node: all that ended since the last run, those with an open alert, and some older ones. Internal payments
 * are skipped, because the node has no record of them.
 */
export async function compareEnded(run: ReconciliationRun): Promise<void> {
  const alerted = new Set(await run.alerts.openSubjects('payment_contradicted'));
  const seen = new Set<string>();
  const visit = async (rows: readonly sql.ComparedPayment[]) => {
    const isNew = ({ id, state, invoice_id }: sql.ComparedPayment) => state !== 'pending' && invoice_id === null && !seen.has(id);
    const ended = rows.filter(isNew);
    for (const { id } of ended) seen.add(id);
    return compareAll(run, ended, alerted);
  };
  for (const id of alerted) {
    const payment = await run.database.first(sql.findPayment, id);
    if (payment?.node_id === run.nodeId) await visit([payment]);
  }
  await compareRemembered(run, visit);
  await compareFresh(run, visit);
  const page = (after: string, limit: number) => run.database.all(sql.paymentsAfter, run.nodeId, after, limit);
  await sweepWindow(run, { fact: factOf(WINDOW, run.nodeId), page, visit });
}

/** Compares the ended payments among the rows. @returns the ids to compare again: the node did not answer, or has not ended them. */
type Visit = (rows: readonly sql.ComparedPayment[]) => Promise<ReadonlySet<string>>;

/** Compares payments that were remembered as pending and have ended since, or that the node did not answer for or had not ended. */
async function compareRemembered(run: ReconciliationRun, visit: Visit): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await run.database.all(sql.endedSince, run.nodeId, after, PAGE);
    const again = await visit(rows);
    if (run.probe.stopReason !== undefined) return;
    await writeEach(
      run,
      sql.forgetPending,
      rows.filter(({ id }) => !again.has(id)),
    );
    after = rows.at(-1)?.id ?? after;
    if (rows.length < PAGE) return;
  }
}

/** Compares payments created since the last run. Stores those that are pending, and those without a response, for the next run. */
async function compareFresh(run: ReconciliationRun, visit: Visit): Promise<void> {
  const settled = idAt(run.startedAt - SETTLING_SECONDS);
  const kept = await run.database.first(readFact, factOf(FRESH, run.nodeId));
  for (let after = kept?.value ?? windowStart(run); ; ) {
    const rows = await run.database.all(sql.paymentsAfter, run.nodeId, after, PAGE);
    const again = await visit(rows);
    if (run.probe.stopReason !== undefined) return;
    const isOpen = ({ id, state, invoice_id }: sql.ComparedPayment) => invoice_id === null && (state === 'pending' || again.has(id));
    await writeEach(run, sql.rememberPending, rows.filter(isOpen));
    after = rows.at(-1)?.id ?? after;
    await storeCursor(run, factOf(FRESH, run.nodeId), after < settled ? after : settled);
    if (rows.length < PAGE) return;
  }
}

async function writeEach({ database }: ReconciliationRun, statement: Statement, rows: readonly sql.ComparedPayment[]): Promise<void> {
  if (rows.length === 0) return;
  await database.transaction(async (tx) => {
    for (const { id } of rows) await tx.run(statement, id);
  });
}

async function compareAll(
  run: ReconciliationRun,
  ended: readonly sql.ComparedPayment[],
  alerted: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const again = new Set<string>();
  await run.probe.each(ended, async (payment) => {
    const verdict = await compareOne(run, payment);
    if (verdict === 'unanswered' || verdict === 'unfinished') again.add(payment.id);
    const isExplained = verdict === 'agreed' || verdict === 'unfinished';
    if (isExplained && alerted.has(payment.id)) await run.alerts.clear('payment_contradicted', payment.id);
  });
  run.progress = `ended payments: ${run.compared.payments}`;
  return again;
}

async function compareOne(
  run: ReconciliationRun,
  payment: sql.ComparedPayment,
): Promise<'agreed' | 'contradicted' | 'unanswered' | 'unfinished'> {
  const { probe } = run;
  const first = await probe.call((node) => lookUpPayment(node, referenceTo(payment)));
  if (!first.answered) return 'unanswered';
  run.compared.payments += 1;
  if (agree(payment, first.value)) return 'agreed';
  // An operator ended it, with evidence, because the node never will. If it succeeds after all, it is corrected.
  if (payment.resolved === 1 && payment.state === 'failed' && first.value?.state === 'pending') return 'unfinished';
  if (first.value) await tryCorrection(run, payment.id, first.value);
  // Either side may have changed between the two reads.
  const [second, now] = [
    await probe.call((node) => lookUpPayment(node, referenceTo(payment))),
    await run.database.first(sql.findPayment, payment.id),
  ];
  if (!second.answered) return 'unanswered';
  if (!now || agree(now, second.value)) return 'agreed';
  await recordContradiction(run, now, describePayment(second));
  return 'contradicted';
}

/** Reports the outcome to the payments, which may be able to correct the contradiction. */
async function tryCorrection({ payments, log }: ReconciliationRun, id: string, outcome: PaymentOutcome): Promise<void> {
  try {
    await payments.reportOutcome(id, outcome);
  } catch (error) {
    log.warn({ payment: id, reason: errorMessage(error) }, 'a contradiction could not be corrected');
  }
}

/** Returns whether ledger and node agree. After a failure the node must neither have sent the money nor try to; after a success it must have sent it. */
function agree({ state, correction }: sql.ComparedPayment, node: PaymentOutcome | undefined): boolean {
  if (state === 'pending') return true;
  const isGone = state === 'succeeded' || correction !== null;
  return isGone ? node?.state === 'succeeded' : node === undefined || node.state === 'failed';
}

async function recordContradiction(run: ReconciliationRun, payment: sql.ComparedPayment, node: string): Promise<void> {
  const { id, wallet_id: walletId, payment_hash: paymentHash, amount_msat: amountMsat, state: ours } = payment;
  const message = `${satText(amountMsat)} of ${walletId}: ${ours} in the ledger, ${node} at the node`;
  await reportContradiction(run, { kind: 'payment', id, walletId, paymentHash, amountMsat, ours, node }, message);
}
