import { pause, timeText, unixSeconds } from '../kernel/clock.ts';
import { errorMessage } from '../kernel/log.ts';
import { satText } from '../kernel/money.ts';
import type { ArrivingRow } from './arriving.sql.ts';
import * as sql from './arriving.sql.ts';
import { findInvoice, type Invoice } from './invoice.ts';
import type { InvoiceContext } from './invoices.ts';
import { FRESH_SECONDS, readFinality, type SettlementAtNode } from './report.ts';
import { endReported, isCredited, settleAgain } from './settle.ts';

/*
 * Payments that a node has reported and that were not final soon after. Each has a row until it is credited. Two jobs ask the node about them:
 * one about what was reported lately, and one about everything else, less and less often. So many old payments do not delay new ones.
 */

export interface ArrivingTiming {
  /** Between two rounds of checks. */
  readonly roundMs: number;
  /** After so many rounds, the alerts are updated. */
  readonly alertEvery: number;
  /** Returns how many seconds later a payment is looked up again. */
  readonly waitSeconds: (ageSeconds: number, isAwaited: boolean) => number;
}

const TIMING: ArrivingTiming = { roundMs: 2000, alertEvery: 30, waitSeconds };
/** The most that is looked up in one round. */
const MAX_FRESH = 1000;
const MAX_DUE = 200;
const AT_ONCE = 8;
/** After this time the operator is alerted. */
const LONG_SECONDS = 600;
/** Alerts count no more payments. */
const MAX_COUNTED = 1000;
/** The longest reason of a node that is stored, in characters. */
const MAX_REASON = 200;
const MIN_WAIT_SECONDS = 10;
const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

const REPORTED: ReadonlySet<Invoice['state']> = new Set(['arriving', 'settled', 'failed']);

/** What is stored about a payment that is not known to be final. */
export type StoredReport = ArrivingRow;

/** What a lookup has found, and the node's reason if it could not tell. */
export interface ArrivalReport {
  readonly state: 'booked' | 'failed' | 'unknown';
  readonly reason?: string | undefined;
}

/** A fifth of the age: at most an hour while a wallet waits for the money, otherwise at most a day. */
function waitSeconds(ageSeconds: number, isAwaited: boolean): number {
  return Math.min(Math.max(Math.floor(ageSeconds / 5), MIN_WAIT_SECONDS), isAwaited ? HOUR_SECONDS : DAY_SECONDS);
}

/** Checks the arriving payments of a node until the signal aborts. Only the holder of the lease of its events may call it. */
export async function checkArriving(
  context: InvoiceContext,
  nodeId: string,
  signal: AbortSignal,
  timing: ArrivingTiming = TIMING,
): Promise<void> {
  const repeat = async (check: (round: number) => Promise<void>) => {
    for (let round = 0; !signal.aborted; round++) {
      await check(round).catch((error: unknown) =>
        context.log.warn(
          { node: nodeId, reason: errorMessage(error) },
          'the arriving payments could not be checked; they are checked again',
        ),
      );
      await pause(timing.roundMs, signal);
    }
  };
  const checkFresh = async () => {
    const after = unixSeconds(context.clock) - FRESH_SECONDS;
    await checkAll(context, nodeId, await context.database.all(sql.listFresh, nodeId, after, MAX_FRESH), signal);
  };
  const checkDue = async (round: number) => {
    const rows = await context.database.all(sql.listDue, nodeId, unixSeconds(context.clock), MAX_DUE);
    await planChecks(context, rows, await checkAll(context, nodeId, rows, signal), timing);
    if (round % timing.alertEvery === 0) await updateAlerts(context, nodeId);
  };
  await Promise.all([repeat(checkFresh), repeat(checkDue)]);
}

/** @returns the reasons of the node for those of which it could not tell, by payment hash */
async function checkAll(
  context: InvoiceContext,
  nodeId: string,
  rows: readonly ArrivingRow[],
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const unknown = new Map<string, string>();
  if (rows.length === 0 || !(await context.connections.of(nodeId).answers())) return unknown;
  const rest = rows.values();
  const checkRest = async () => {
    for (const row of rest) {
      if (signal.aborted) return;
      const { state, reason = '' } = await checkOne(context, row).catch(logged(context, row));
      if (state === 'unknown') unknown.set(row.payment_hash, reason);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, checkRest));
  return unknown;
}

function logged({ log }: InvoiceContext, { payment_hash: paymentHash }: ArrivingRow) {
  return (error: unknown): ArrivalReport => {
    log.warn({ paymentHash, reason: errorMessage(error) }, 'an arriving payment was not booked; trying again');
    return { state: 'unknown', reason: 'it could not be booked; see the log' };
  };
}

/** Asks the node about a payment and books its answer. */
async function checkOne(context: InvoiceContext, row: ArrivingRow): Promise<ArrivalReport> {
  const settlement = settlementOf(row);
  const finality = await readFinality(context, settlement, 0);
  const reason = finality.state === 'unknown' ? finality.reason : undefined;
  if (row.is_credited === 1) {
    if (finality.state === 'unknown') return { state: 'unknown', reason };
    const arrivedMsat = finality.state === 'final' ? (finality.amountMsat ?? row.amount_msat) : 0;
    await endCredited(context, row, arrivedMsat);
    return { state: finality.state === 'final' ? 'booked' : 'failed' };
  }
  const result = await settleAgain(context, settlement, finality);
  const { database } = context;
  if (result === 'booked' || result === 'booked_before') {
    // Another instance may have credited it without knowing of the row.
    await database.transaction((tx) => tx.run(sql.remove, row.payment_hash, row.state));
    return { state: 'booked' };
  }
  if (result === 'arriving' || finality.state === 'unknown') return { state: 'unknown', reason };
  if (row.state === 'failed') await database.transaction((tx) => tx.run(sql.endChecks, row.payment_hash));
  return { state: 'failed' };
}

function settlementOf(row: ArrivingRow): SettlementAtNode {
  return { ...JSON.parse(row.settlement), nodeId: row.node_id };
}

/** Stores when the payments of which the node could not tell are looked up again. */
async function planChecks(
  { database, clock }: InvoiceContext,
  rows: readonly ArrivingRow[],
  reasons: ReadonlyMap<string, string>,
  timing: ArrivingTiming,
): Promise<void> {
  if (reasons.size === 0) return;
  const now = unixSeconds(clock);
  await database.transaction(async (tx) => {
    for (const row of rows) {
      const reason = reasons.get(row.payment_hash);
      if (reason === undefined) continue;
      const isAwaited = row.state === 'arriving' && row.is_credited === 0;
      const next = now + timing.waitSeconds(now - row.reported_at, isAwaited);
      await tx.send(sql.planCheck, row.payment_hash, next, reason.slice(0, MAX_REASON));
    }
  });
}

/** Ends a payment that was credited at its report (CREDIT_BEFORE_FINAL_MSAT). The operator bears what did not arrive. */
async function endCredited({ ledger, alerts }: InvoiceContext, row: ArrivingRow, arrivedMsat: number): Promise<void> {
  const missingMsat = row.amount_msat - arrivedMsat;
  const message = `${satText(row.amount_msat)} were credited before they were final (CREDIT_BEFORE_FINAL_MSAT), and ${satText(missingMsat)} never arrived`;
  const details = { lntx_id: row.invoice_id ?? undefined, amount_msat: missingMsat, status: 'credited_early' };
  const onMiss = new Error('another instance has checked it');
  await ledger.post({
    rows: [
      missingMsat > 0
        ? { statement: sql.markFailed, parameters: [row.payment_hash, null], onMiss }
        : { statement: sql.remove, parameters: [row.payment_hash, row.state], onMiss },
      ...(missingMsat > 0
        ? alerts.rowsOf({ kind: 'invoice_contradicted', subject: row.invoice_id ?? row.payment_hash, message, details })
        : []),
    ],
  });
  if (missingMsat > 0) await alerts.announce();
}

/**
 * Returns the stored report of a payment, by the id of its invoice, or by the payment hash of one for no wallet; undefined if there is none, or if
 * it is credited.
 */
export async function findReport({ database }: InvoiceContext, id: string): Promise<StoredReport | undefined> {
  const invoice = await findInvoice(database, id);
  const row = await database.first(sql.find, invoice?.paymentHash ?? id);
  return row && row.invoice_id === (invoice?.id ?? null) ? row : undefined;
}

/** Returns whether a payment was received, or reported and not known to be final. It is named as for {@link findReport}. */
export async function isReported(context: InvoiceContext, id: string): Promise<boolean> {
  const invoice = await findInvoice(context.database, id);
  if (invoice) return REPORTED.has(invoice.state);
  return (await findReport(context, id)) !== undefined || (await isCredited(context, id));
}

/** Asks the node again about a payment that is arriving and books its answer. @returns undefined when it is not arriving any more. */
export async function recheckArriving(context: InvoiceContext, paymentHash: string): Promise<ArrivalReport | undefined> {
  const row = await context.database.first(sql.find, paymentHash);
  return row?.state === 'arriving' ? checkOne(context, row) : undefined;
}

/** Ends a payment that is arriving on behalf of an operator, because the node does not report whether it is final. */
export async function endArriving(context: InvoiceContext, paymentHash: string, outcome: 'settled' | 'failed'): Promise<void> {
  const row = await context.database.first(sql.find, paymentHash);
  if (row?.state !== 'arriving') return;
  if (row.is_credited === 1) await endCredited(context, row, outcome === 'settled' ? row.amount_msat : 0);
  else await endReported(context, settlementOf(row), outcome);
}

/** Two alerts per node, while payments have been arriving for long. */
async function updateAlerts(context: InvoiceContext, nodeId: string): Promise<void> {
  await updateAlert(context, nodeId, {
    kind: 'payments_arriving',
    isCredited: 0,
    what: 'reported payments that are neither final nor credited',
  });
  const what = 'payments that were credited before they were final (CREDIT_BEFORE_FINAL_MSAT), and that the node has not shown to be final';
  // An operator who closes the alert accepts the payments that it counted.
  const after = (await context.alerts.lastAccepted('credits_unproven', nodeId)) ?? LONG_SECONDS;
  await updateAlert(context, nodeId, { kind: 'credits_unproven', isCredited: 1, what, after: after - LONG_SECONDS });
}

interface ArrivingAlert {
  readonly kind: 'payments_arriving' | 'credits_unproven';
  readonly isCredited: 0 | 1;
  readonly what: string;
  /** It counts the payments that were reported later. */
  readonly after?: number;
}

async function updateAlert({ database, alerts, clock }: InvoiceContext, nodeId: string, alert: ArrivingAlert): Promise<void> {
  const { kind, isCredited, what, after = 0 } = alert;
  const until = unixSeconds(clock) - LONG_SECONDS;
  const rows = await database.all(sql.listOldest, nodeId, isCredited, after, until, MAX_COUNTED);
  const [oldest] = rows;
  if (oldest) {
    const atLeast = rows.length < MAX_COUNTED ? '' : 'at least ';
    const amount_msat = rows.reduce((total, row) => total + row.amount_msat, 0);
    const sum = satText(amount_msat);
    const name = oldest.invoice_id ?? `the payment hash ${oldest.payment_hash}`;
    const reason = oldest.node_reason ? `; the node: ${oldest.node_reason}` : '';
    const message = `${what}: ${atLeast}${rows.length}, with ${atLeast}${sum} in total; the oldest, ${name}, was reported at ${timeText(oldest.reported_at)}${reason}`;
    const details = {
      ln_node_id: nodeId,
      count: rows.length,
      amount_msat,
      lntx_id: oldest.invoice_id ?? undefined,
      since: oldest.reported_at,
      reason: oldest.node_reason ?? undefined,
    };
    await alerts.raise({ kind, subject: nodeId, message, details });
  } else if ((await alerts.openSubjects(kind)).includes(nodeId)) await alerts.clear(kind, nodeId);
}
