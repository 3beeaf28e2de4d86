import { errorMessage } from '../kernel/log.ts';
import type { PaymentOutcome } from '../lightning/node.ts';
import { paymentWords } from './pending.ts';
import * as sql from './reconcile.sql.ts';
import { MAX_LISTED } from './report.ts';
import { idAt, PAGE, type Run, windowStart } from './run.ts';
import { keepPlace, readPlace, sweepWindow } from './sweep.ts';

const FRESH = 'reconcile_payments_seen';
const WINDOW = 'reconcile_payments_window';
/** Ids are made before they are committed, by clocks that differ: what is newer than this is looked at again. */
const SETTLING_SECONDS = 60;

/**
 * Compares payments that have ended with the node: all that ended since the last time, those that were in question, and some older ones.
 * Payments inside the service never were at the node.
 */
export async function compareEnded(run: Run): Promise<void> {
  const inQuestion = new Set(await run.alarms.openSubjects('payment_contradicted'));
  const visit = (rows: readonly sql.ComparedPayment[]) => compareAll(run, rows, inQuestion);
  for (const id of inQuestion) {
    const payment = await run.database.first(sql.findPayment, id);
    if (payment && !(await visit([payment]))) return;
  }
  await compareRemembered(run, visit);
  await compareFresh(run, visit);
  await sweepWindow(run, { fact: WINDOW, page: (after, limit) => run.database.all(sql.paymentsAfter, after, limit), visit });
}

type Visit = (rows: readonly sql.ComparedPayment[]) => Promise<boolean>;

/** Those that were pending the last time and are not any more. */
async function compareRemembered(run: Run, visit: Visit): Promise<void> {
  for (let after = ''; ; ) {
    const rows = await run.database.all(sql.endedSince, after, PAGE);
    if (!(await visit(rows))) return;
    await run.database.transaction(async (tx) => {
      for (const { id } of rows) await tx.run(sql.forgetPending, id);
    });
    after = rows.at(-1)?.id ?? after;
    if (rows.length < PAGE) return;
  }
}

/** Those that were made since the last time; what is still pending is remembered until it has ended. */
async function compareFresh(run: Run, visit: Visit): Promise<void> {
  const settled = idAt(run.startedAt - SETTLING_SECONDS);
  for (let after = await readPlace(run, FRESH, windowStart(run)); ; ) {
    const rows = await run.database.all(sql.paymentsAfter, after, PAGE);
    if (!(await visit(rows))) return;
    const pending = rows.filter(({ state, invoice_id }) => state === 'pending' && invoice_id === null);
    if (pending.length > 0) {
      await run.database.transaction(async (tx) => {
        for (const { id } of pending) await tx.run(sql.rememberPending, id);
      });
    }
    after = rows.at(-1)?.id ?? after;
    await keepPlace(run, FRESH, after < settled ? after : settled);
    if (rows.length < PAGE) return;
  }
}

/** @returns false when the node did not answer for all of them. */
async function compareAll(run: Run, rows: readonly sql.ComparedPayment[], inQuestion: ReadonlySet<string>): Promise<boolean> {
  const ended = rows.filter(({ state, invoice_id }) => state !== 'pending' && invoice_id === null);
  let unanswered = 0;
  await run.witness.each(ended, async (payment) => {
    const verdict = await compareOne(run, payment);
    if (verdict === 'unanswered') unanswered += 1;
    if (verdict === 'agreed' && inQuestion.has(payment.id)) await run.alarms.clear('payment_contradicted', payment.id);
  });
  run.progress(`ended payments: ${run.compared.payments}`);
  return unanswered === 0 && run.witness.silence === undefined;
}

async function compareOne(run: Run, payment: sql.ComparedPayment): Promise<'agreed' | 'contradicted' | 'unanswered'> {
  const { node, witness } = run;
  const first = await witness.ask(() => node.lookupPayment(payment.id));
  if (!first.answered) return 'unanswered';
  run.compared.payments += 1;
  if (agree(payment.state, first.value)) return 'agreed';
  if (first.value) await reportTo(run, payment.id, first.value);
  // Either side may have moved between the two looks.
  const [again, now] = [await witness.ask(() => node.lookupPayment(payment.id)), await run.database.first(sql.findPayment, payment.id)];
  if (!again.answered) return 'unanswered';
  if (!now || agree(now.state, again.value)) return 'agreed';
  await contradicted(run, now, paymentWords(again));
  return 'contradicted';
}

/** The payments' own way to book an outcome may know how to set it right. */
async function reportTo({ payments, log }: Run, id: string, outcome: PaymentOutcome): Promise<void> {
  try {
    await payments.report(id, outcome);
  } catch (error) {
    log.warn({ payment: id, reason: errorMessage(error) }, 'a contradiction could not be set right');
  }
}

/** A failure is definitive, so after it the money may neither be on its way nor gone; after a success it must be gone. */
function agree(ours: sql.ComparedPayment['state'], node: PaymentOutcome | undefined): boolean {
  if (ours === 'pending') return true;
  return ours === 'succeeded' ? node?.state === 'succeeded' : node === undefined || node.state === 'failed';
}

async function contradicted(run: Run, payment: sql.ComparedPayment, node: string): Promise<void> {
  const { id, wallet_id: walletId, payment_hash: paymentHash, amount_msat: amountMsat, state: ours } = payment;
  const isListed = run.contradictions.some((one) => one.id === id);
  if (!isListed && run.contradictions.length < MAX_LISTED) {
    run.contradictions.push({ kind: 'payment', id, walletId, paymentHash, amountMsat, ours, node });
  }
  const message = `${amountMsat} msat of ${walletId}: the ledger says ${ours}, the node says ${node}`;
  await run.alarms.raise({ kind: 'payment_contradicted', subject: id, message });
}
