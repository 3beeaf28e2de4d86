/** `periodic` bounds what is asked of the node; `full` compares the whole window; `new_baseline` also accepts the node's balance as it is. */
export type ReconciliationScope = 'periodic' | 'full' | 'new_baseline';

/** What a reconciliation found. Stored as JSON; amounts are msat, times Unix seconds. Lists are bounded, counts are not. */
export interface ReconciliationReport {
  readonly id: string;
  readonly scope: ReconciliationScope;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Why the comparison is incomplete, when the node went silent. */
  readonly silence: string | null;
  readonly balance: BalanceReport;
  readonly pending: PendingReport;
  readonly compared: { readonly payments: number; readonly invoices: number };
  readonly contradictions: readonly Contradiction[];
  readonly missedSettlements: readonly MissedSettlement[];
}

/**
 * The node's balance compared with what the ledger says it should be. `unanswered`: the node was silent, which is never a balance.
 * `unsteady`: money moved during every measurement, so no baseline could be taken.
 */
export type BalanceReport = MeasuredBalance | { readonly state: 'unanswered' | 'unsteady'; readonly reason: string };

export interface MeasuredBalance {
  readonly state: 'measured';
  /** What the node says. */
  readonly nodeMsat: number;
  /** What the node had of its own when the ledger first saw it, or when the operator last accepted its balance. */
  readonly baselineMsat: number;
  readonly baselineAt: number;
  /** What the wallets have, with what is reserved for payments in flight. */
  readonly customersMsat: number;
  readonly serviceFeesMsat: number;
  readonly suspenseMsat: number;
  /** What the operator bears: routing beyond the reserves, late successes that no wallet could pay; zero or below. */
  readonly operatorMsat: number;
  /** The sum of the five above. */
  readonly expectedMsat: number;
  /** Of the customers' money, what may have left the node without being booked yet. */
  readonly inFlightMsat: number;
  /** `nodeMsat` − `expectedMsat`: above zero, routing income, own deposits and what is just arriving; below zero, what is just leaving or gone. */
  readonly restMsat: number;
  /** The unexplained increases since the baseline. They are not accepted yet. */
  readonly roseMsat: number;
  /** The unexplained decreases since the baseline. Each raised an alert. */
  readonly fellMsat: number;
  /** How much the ledger moved while the node was asked: the rest is only so exact. */
  readonly movedMsat: number;
}

export interface PendingReport {
  readonly payments: number;
  readonly amountMsat: number;
  /** How many of them the node calls what. */
  readonly byEvidence: Readonly<Record<string, number>>;
  readonly stuckPayments: number;
  /** The oldest ones. */
  readonly stuck: readonly StuckPayment[];
}

export interface StuckPayment {
  readonly paymentId: string;
  readonly walletId: string;
  readonly paymentHash: string;
  readonly amountMsat: number;
  readonly createdAt: number;
  readonly ageSeconds: number;
  /** What the node says of it. */
  readonly evidence: string;
}

/** Both sides of something that cannot both be so. */
export interface Contradiction {
  readonly kind: 'payment' | 'invoice';
  readonly id: string;
  readonly walletId: string;
  readonly paymentHash: string;
  readonly amountMsat: number;
  readonly ours: string;
  readonly node: string;
}

/** An invoice that was paid at the node and not here, and whether it is booked now. */
export interface MissedSettlement {
  readonly invoiceId: string;
  readonly walletId: string;
  readonly paymentHash: string;
  readonly amountMsat: number;
  readonly booked: boolean;
}

/** Whether the node has less than it holds for the ledger, beyond what may just be leaving it. */
export function holdsLess({ restMsat, baselineMsat, inFlightMsat, movedMsat }: MeasuredBalance): boolean {
  return restMsat + baselineMsat < -(inFlightMsat + movedMsat);
}

/** Lists stop here; counts go on. */
export const MAX_LISTED = 100;
