import type { PaymentEvidence } from '../../core/lightning/node.ts';

/** `periodic` limits the calls to the node; `full` compares the whole window; `new_baseline` also accepts the node's present balance. */
export type ReconciliationScope = 'periodic' | 'full' | 'new_baseline';

/** The result of a reconciliation with all nodes. Stored as JSON. */
export interface ReconciliationReport {
  readonly id: string;
  readonly scope: ReconciliationScope;
  readonly nodes: readonly NodeReport[];
  readonly positions: readonly NodePosition[];
}

/** How the money of the wallets is distributed over the nodes. Amounts are msat. */
export interface NodePosition {
  readonly nodeId: string;
  /** The money that the node holds for the ledger. */
  readonly heldMsat: number;
  /**
   * The part of it that it holds for wallets of other nodes; negative if other nodes hold money of its wallets. The operator's money and suspense
   * count as the first node's. All positions sum to zero.
   */
  readonly positionMsat: number;
}

/** The result for one node. Amounts are msat, times Unix seconds. Lists are limited, counts are not. */
export interface NodeReport {
  /** The id of the reconciliation; of the comparison, for nodes after the first. */
  readonly id: string;
  readonly nodeId: string;
  readonly scope: ReconciliationScope;
  readonly startedAt: number;
  readonly endedAt: number;
  /** The reason why the comparison is incomplete, if the node stopped answering. */
  readonly incompleteReason: string | null;
  readonly balance: BalanceReport;
  readonly pending: PendingReport;
  readonly compared: { readonly payments: number; readonly invoices: number };
  readonly contradictions: readonly Contradiction[];
  readonly missedSettlements: readonly MissedSettlement[];
}

/**
 * The node's balance, compared with the ledger. `unanswered`: the node did not answer. `unsteady`: money moved during every measurement, so no
 * baseline could be accepted.
 */
export type BalanceReport = MeasuredBalance | { readonly state: 'unanswered' | 'unsteady'; readonly reason: string };

/** The node's balance and the ledger at one point in time. */
export interface BalanceParts {
  /** The balance of the node. */
  readonly nodeMsat: number;
  /** The balances of all wallets, including the holds of pending payments. */
  readonly customersMsat: number;
  readonly serviceFeesMsat: number;
  readonly suspenseMsat: number;
  /** The costs that the operator bears: routing fees above the reserve, late successes that no wallet could pay. Zero or negative. */
  readonly operatorMsat: number;
  /** Minus the money that the other nodes hold. Zero or negative; zero with one node. */
  readonly atOtherNodesMsat: number;
  /** The part of the customers' money that may have left the node and is not booked yet. */
  readonly inFlightMsat: number;
  /** The amount that the ledger booked to and from the node during the measurement: the uncertainty of the node's own money. */
  readonly movedMsat: number;
}

export interface MeasuredBalance extends BalanceParts {
  readonly state: 'measured';
  /** The node's own money at the first measurement, or when the operator last accepted it. */
  readonly baselineMsat: number;
  readonly baselineAt: number;
  /** The baseline, and what the node holds for the ledger: wallets, fees, suspense and operator, without what other nodes hold. */
  readonly expectedMsat: number;
  /** `nodeMsat` − `expectedMsat`. Positive: routing income, own deposits, arriving money. Negative: leaving or missing money. */
  readonly restMsat: number;
  /** The unexplained increases since the baseline. They are not accepted yet. */
  readonly roseMsat: number;
  /** The unexplained decreases since the baseline. Each raised an alert. */
  readonly fellMsat: number;
}

export interface PendingReport {
  readonly payments: number;
  readonly amountMsat: number;
  /** The number of payments by their state at the node. */
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
  /** Its state at the node, and what the node's records show, as text. */
  readonly evidence: string;
  /** Its state at the node. */
  readonly nodeState: string;
  /** What the node's records show, if its adapter collects it. */
  readonly proof?: PaymentEvidence | undefined;
}

/** States of the ledger and of the node that contradict each other. */
export interface Contradiction {
  readonly kind: 'payment' | 'invoice';
  readonly id: string;
  readonly walletId: string;
  readonly paymentHash: string;
  readonly amountMsat: number;
  readonly ours: string;
  readonly node: string;
}

/** An invoice that was paid at the node and not booked. `booked`: whether it is booked now. */
export interface MissedSettlement {
  readonly invoiceId: string;
  readonly walletId: string;
  readonly paymentHash: string;
  readonly amountMsat: number;
  readonly booked: boolean;
}

/** Returns whether the node has less than the ledger owes, beyond what may be in flight. */
export function holdsLess({ restMsat, baselineMsat, inFlightMsat, movedMsat }: MeasuredBalance): boolean {
  return restMsat + baselineMsat < -(inFlightMsat + movedMsat);
}

/** The maximum length of the lists. */
export const MAX_LISTED = 100;
