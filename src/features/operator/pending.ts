import type { Database } from '../../core/db/database.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import type { NodeEvidence } from '../reconcile/pending.ts';
import { lastReport } from '../reconcile/requests.ts';
import type { OperatorPage } from './actions.ts';
import * as sql from './operator.sql.ts';

/** A payment, with what the node last reported about it. Amounts are msat, times Unix seconds. */
export interface OperatorPayment {
  readonly id: string;
  readonly walletId: string;
  readonly walletLabel: string;
  /** The node that sends it; of an internal payment, the node of its invoice. */
  readonly nodeId: string;
  readonly paymentHash: string;
  readonly userLabel: string;
  readonly amountMsat: number;
  /** The amount and the fee reserve. */
  readonly heldMsat: number;
  readonly isKeysend: boolean;
  readonly isInternal: boolean;
  readonly state: 'pending' | 'succeeded' | 'failed';
  readonly failureReason: string | undefined;
  readonly createdAt: number;
  readonly ageSeconds: number;
  readonly isStuck: boolean;
  /** Of a pending payment. */
  readonly evidence: NodeEvidence | undefined;
}

interface PendingModules {
  readonly database: Database;
  readonly clock: Clock;
  /** The age at which a pending payment is stuck. */
  readonly stuckPaymentSeconds: number;
}

/** Returns pending payments, oldest first, with the evidence of the last reconciliation. */
export async function listPendingPayments(
  deps: PendingModules,
  status: 'pending' | 'stuck',
  limit: number,
  offset: number,
): Promise<OperatorPage<OperatorPayment>> {
  const { database, clock, stuckPaymentSeconds } = deps;
  const until = status === 'stuck' ? unixSeconds(clock) - stuckPaymentSeconds : Number.MAX_SAFE_INTEGER;
  const rows = await database.all(sql.listPendingUntil, until, limit, offset);
  const evidence = rows.length === 0 ? {} : await lastEvidence(deps);
  const total = (await database.first(sql.countPendingUntil, until))?.n ?? 0;
  return { items: rows.map((row) => toPending(deps, row, evidence[row.id])), total };
}

export async function findOperatorPayment(deps: PendingModules, id: string): Promise<OperatorPayment | undefined> {
  const row = await deps.database.first(sql.findPayment, id);
  return row && toPending(deps, row, row.state === 'pending' ? (await lastEvidence(deps))[id] : undefined);
}

/** Returns the evidence about stuck payments that the last reconciliation looked up. */
async function lastEvidence({ database }: PendingModules): Promise<Readonly<Record<string, NodeEvidence>>> {
  return (await lastReport(database))?.evidence ?? {};
}

function toPending(
  { clock, stuckPaymentSeconds }: PendingModules,
  row: sql.PaymentDetailsRow,
  evidence: NodeEvidence | undefined,
): OperatorPayment {
  const ageSeconds = Math.max(0, unixSeconds(clock) - row.created_at);
  return {
    id: row.id,
    walletId: row.wallet_id,
    walletLabel: row.wallet_label,
    nodeId: row.node_id,
    paymentHash: row.payment_hash,
    userLabel: row.user_label,
    amountMsat: row.amount_msat,
    heldMsat: row.held_msat,
    isKeysend: row.is_keysend === 1,
    isInternal: row.is_internal === 1,
    state: row.state,
    failureReason: row.failure_reason ?? undefined,
    createdAt: row.created_at,
    ageSeconds,
    isStuck: row.state === 'pending' && ageSeconds >= stuckPaymentSeconds,
    evidence,
  };
}
