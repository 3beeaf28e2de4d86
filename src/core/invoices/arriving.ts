import { readPages } from '../db/pages.ts';
import { pause, timeText, unixSeconds } from '../kernel/clock.ts';
import { errorMessage } from '../kernel/log.ts';
import { satText } from '../kernel/money.ts';
import type { ArrivingRow } from './arriving.sql.ts';
import * as sql from './arriving.sql.ts';
import type { InvoiceContext } from './invoices.ts';
import { readFinality, type SettlementAtNode } from './report.ts';
import { settleAgain } from './settle.ts';

/*
 * Payments that a node has reported and that were not final soon after. Each has a row until it is credited. A job asks the node about them:
 * often at first, later once a minute.
 */

export interface ArrivingTiming {
  /** Between two rounds of checks. */
  readonly roundMs: number;
  /** After so many rounds, all are checked, not only the recent ones. */
  readonly allEvery: number;
}

const TIMING: ArrivingTiming = { roundMs: 2000, allEvery: 30 };
/** Those that were reported within this time are checked in every round. */
const LATELY_SECONDS = 60;
/** After this time the operator is alerted. */
const LONG_SECONDS = 600;
const PAGE = 200;
const AT_ONCE = 8;
const ALERT = 'payments_arriving';

/** Checks the arriving payments of a node until the signal aborts. Only the holder of the lease of its events may call it. */
export async function checkArriving(
  context: InvoiceContext,
  nodeId: string,
  signal: AbortSignal,
  { roundMs, allEvery }: ArrivingTiming = TIMING,
): Promise<void> {
  for (let round = 0; !signal.aborted; round++) {
    const isFull = round % allEvery === 0;
    try {
      await checkRound(context, nodeId, isFull ? 0 : unixSeconds(context.clock) - LATELY_SECONDS, signal);
      if (isFull) await updateAlert(context, nodeId);
    } catch (error) {
      context.log.warn({ node: nodeId, reason: errorMessage(error) }, 'the arriving payments could not be checked; they are checked again');
    }
    await pause(roundMs, signal);
  }
}

/** Checks the payments that were reported after a time (Unix seconds), the oldest first. */
async function checkRound(context: InvoiceContext, nodeId: string, after: number, signal: AbortSignal): Promise<void> {
  const { database, connections } = context;
  const pages = readPages(database, sql.listAfter, PAGE, (last) => [nodeId, last?.reported_at ?? after, last?.payment_hash ?? '']);
  for await (const page of pages) {
    if (page.length === 0 || signal.aborted || !(await connections.of(nodeId).answers())) return;
    const rest = page.values();
    const checkRest = async () => {
      for (const row of rest) if (!signal.aborted) await checkOne(context, row);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, checkRest));
  }
}

async function checkOne(context: InvoiceContext, row: ArrivingRow): Promise<void> {
  const settlement: SettlementAtNode = { ...JSON.parse(row.settlement), nodeId: row.node_id };
  try {
    if (row.is_credited === 1) return await checkCredited(context, settlement, row);
    const result = await settleAgain(context, settlement);
    if (result === 'booked' || result === 'booked_before') await removeLeft(context, row);
  } catch (error) {
    context.log.warn({ paymentHash: row.payment_hash, reason: errorMessage(error) }, 'an arriving payment was not booked; trying again');
  }
}

/** Another instance may have credited it without knowing of the row. */
async function removeLeft({ database }: InvoiceContext, { payment_hash: paymentHash, state }: ArrivingRow): Promise<void> {
  await database.transaction((tx) => tx.run(sql.remove, paymentHash, state));
}

/** A payment that was credited at its report (CREDIT_BEFORE_FINAL_MSAT). If it did not arrive, the operator bears the loss. */
async function checkCredited(context: InvoiceContext, settlement: SettlementAtNode, row: ArrivingRow): Promise<void> {
  const { ledger, alerts } = context;
  const finality = await readFinality(context, settlement, 0);
  if (finality.state === 'unknown') return;
  const arrivedMsat = finality.state === 'final' ? (finality.amountMsat ?? row.amount_msat) : 0;
  const missingMsat = row.amount_msat - arrivedMsat;
  const message = `${satText(row.amount_msat)} were credited before they were final (CREDIT_BEFORE_FINAL_MSAT), and ${satText(missingMsat)} never arrived`;
  const onMiss = new Error('another instance has checked it');
  await ledger.post({
    rows: [
      missingMsat > 0
        ? { statement: sql.markFailed, parameters: [row.payment_hash], onMiss }
        : { statement: sql.remove, parameters: [row.payment_hash, row.state], onMiss },
      ...(missingMsat > 0 ? alerts.rowsOf({ kind: 'invoice_contradicted', subject: row.invoice_id ?? row.payment_hash, message }) : []),
    ],
  });
  if (missingMsat > 0) await alerts.announce();
}

/** One alert per node, while payments have been arriving for long. */
async function updateAlert({ database, alerts, clock }: InvoiceContext, nodeId: string): Promise<void> {
  const sum = await database.first(sql.sumReportedUntil, nodeId, unixSeconds(clock) - LONG_SECONDS);
  const oldest = sum?.oldest ? await database.first(sql.findOldest, nodeId) : undefined;
  if (sum?.oldest && oldest) {
    const name = oldest.invoice_id ?? `the payment hash ${oldest.payment_hash}`;
    const message = `reported payments that are neither final nor credited: ${sum.n}, with ${satText(sum.amount_msat)} in total; the oldest, ${name}, was reported at ${timeText(sum.oldest)}`;
    await alerts.raise({ kind: ALERT, subject: nodeId, message });
  } else if ((await alerts.openSubjects(ALERT)).includes(nodeId)) await alerts.clear(ALERT, nodeId);
}
