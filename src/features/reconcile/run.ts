import type { Alerts } from '../../core/alerts/alerts.ts';
import type { NodeConnection } from '../../core/connection/connection.ts';
import type { NodeConnections } from '../../core/connection/connections.ts';
import type { Database } from '../../core/db/database.ts';
import type { Invoices } from '../../core/invoices/invoices.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import { firstIdAt } from '../../core/kernel/ids.ts';
import type { Log } from '../../core/kernel/log.ts';
import type { Payments } from '../../core/payments/payments.ts';
import type { NodeProbe, ProbeTiming } from './node-probe.ts';
import { type Contradiction, MAX_LISTED, type MissedSettlement } from './report.ts';
import type { RunningRequest } from './requests.ts';

/** The modules and settings of reconciliations. */
export interface ReconcileModules {
  readonly database: Database;
  readonly connections: NodeConnections;
  readonly alerts: Alerts;
  readonly invoices: Invoices;
  readonly payments: Payments;
  readonly clock: Clock;
  readonly log: Log;
  /** The age at which a pending payment is reported as stuck. */
  readonly stuckPaymentSeconds: number;
  readonly timing?: Partial<ProbeTiming> | undefined;
  /** How often requests are polled. */
  readonly pollMs?: number | undefined;
}

/** A running reconciliation with one node, and its findings so far. */
export interface ReconciliationRun extends ReconcileModules, RunningRequest {
  readonly startedAt: number;
  readonly connection: NodeConnection;
  readonly nodeId: string;
  readonly signal: AbortSignal;
  readonly probe: NodeProbe;
  readonly contradictions: Contradiction[];
  readonly missedSettlements: MissedSettlement[];
  readonly compared: { payments: number; invoices: number };
  /** Payment hash → amount in msat that arrived and could not be booked. It is not the node's own money. */
  readonly unbookedMsat: Map<string, number>;
  /** The present step, as text. */
  progress: string;
}

/** Lists a contradiction and raises its alert. */
export async function reportContradiction(run: ReconciliationRun, found: Contradiction, message: string): Promise<void> {
  const { contradictions } = run;
  if (contradictions.length < MAX_LISTED && !contradictions.some(({ id }) => id === found.id)) contradictions.push(found);
  await run.alerts.raise({ kind: `${found.kind}_contradicted`, subject: found.id, message });
}

/** Payments and invoices of the last week are compared repeatedly. */
const WINDOW_SECONDS = 7 * 24 * 60 * 60;

/** Returns the name of a fact about the reconciliation with a node. */
export function factOf(name: string, nodeId: string): string {
  return `${name} ${nodeId}`;
}

/** Returns the id at the start of the window. */
export function windowStart({ startedAt }: { readonly startedAt: number }): string {
  return idAt(startedAt - WINDOW_SECONDS);
}

/** Returns an id that sorts before all Lightning transactions created from this second on. */
export function idAt(seconds: number): string {
  return `lntx_${firstIdAt(Math.max(0, seconds) * 1000)}`;
}

/** The number of rows that are read and compared at the same time. */
export const PAGE = 100;
