import type { Alerts } from '../alerts/alerts.ts';
import type { Database } from '../db/database.ts';
import type { Invoices } from '../invoices/invoices.ts';
import type { Clock } from '../kernel/clock.ts';
import { firstIdAt } from '../kernel/ids.ts';
import type { Log } from '../kernel/log.ts';
import type { LightningNode } from '../lightning/node.ts';
import type { Payments } from '../payments/payments.ts';
import type { Contradiction, MissedSettlement } from './report.ts';
import type { RunningRequest } from './requests.ts';
import type { NodeProbe, ProbeTiming } from './node-probe.ts';

export interface ReconcileDependencies {
  readonly database: Database;
  readonly node: Pick<LightningNode, 'lookupPayment' | 'lookupInvoice' | 'balance'>;
  readonly alerts: Alerts;
  readonly invoices: Pick<Invoices, 'settle'>;
  readonly payments: Pick<Payments, 'reportOutcome'>;
  readonly clock: Clock;
  readonly log: Log;
  /** A payment that has been pending for so long is reported as stuck. */
  readonly stuckPaymentSeconds: number;
  readonly timing?: ProbeTiming;
}

/** One reconciliation under way, and what it has found so far. */
export interface ReconciliationRun extends ReconcileDependencies, RunningRequest {
  readonly startedAt: number;
  readonly signal: AbortSignal;
  readonly probe: NodeProbe;
  readonly contradictions: Contradiction[];
  readonly missedSettlements: MissedSettlement[];
  readonly compared: { payments: number; invoices: number };
  /** Money that arrived at the node and could not be booked, by payment hash: it is not the node's own. */
  readonly unbookedMsat: Map<string, number>;
  /** Says what is being done and how far it is. */
  progress(text: string): void;
}

/** Payments and invoices of the last week are compared again and again. */
const WINDOW_SECONDS = 7 * 24 * 60 * 60;

/** The id before everything that a reconciliation looks at again. */
export function windowStart({ startedAt }: Pick<ReconciliationRun, 'startedAt'>): string {
  return idAt(startedAt - WINDOW_SECONDS);
}

/** Sorts before the Lightning transactions made from this second on. */
export function idAt(seconds: number): string {
  return `lntx_${firstIdAt(Math.max(0, seconds) * 1000)}`;
}

/** Rows read, and compared, at once. */
export const PAGE = 100;
