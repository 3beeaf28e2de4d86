import type { Alerts } from '../../core/alerts/alerts.ts';
import type { NodeConnection } from '../../core/connection/connection.ts';
import type { NodeConnections } from '../../core/connection/connections.ts';
import type { Database } from '../../core/db/database.ts';
import { readFact, writeFact } from '../../core/db/facts.sql.ts';
import type { Invoices } from '../../core/invoices/invoices.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import type { Log } from '../../core/kernel/log.ts';
import type { Payments } from '../../core/payments/payments.ts';
import type { NodeProbe, ProbeTiming } from './node-probe.ts';
import type { Findings, NodeEvidence } from './reconciliation-object.ts';
import type { RunningRequest } from './requests.sql.ts';

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

/** What the runs of a request have in common, one for each node. */
export interface RequestState {
  /** The present step, as text. */
  progress: string;
  /** What the nodes reported about stuck payments, by the id of the payment. */
  readonly evidence: Record<string, NodeEvidence>;
}

/** A running reconciliation with one node, and its findings so far. */
export interface ReconciliationRun extends ReconcileModules, RunningRequest {
  readonly state: RequestState;
  readonly startedAt: number;
  readonly connection: NodeConnection;
  readonly nodeId: string;
  readonly signal: AbortSignal;
  readonly probe: NodeProbe;
  readonly findings: Findings;
  /** Payment hash → amount in msat that arrived and could not be booked. It is not the node's own money. */
  readonly unbookedMsat: Map<string, number>;
}

/** Returns the name of a fact about the reconciliation with a node. */
export function factOf(name: string, nodeId: string): string {
  return `${name} ${nodeId}`;
}

export async function readNodeFact({ database, nodeId }: ReconciliationRun, name: string): Promise<string | undefined> {
  return (await database.first(readFact, factOf(name, nodeId)))?.value;
}

export async function writeNodeFact({ database, nodeId }: ReconciliationRun, name: string, value: string): Promise<void> {
  await database.transaction((tx) => tx.run(writeFact, factOf(name, nodeId), value));
}
