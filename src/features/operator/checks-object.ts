import { type Static, Type } from 'typebox';
import { type Alert, describeKind } from '../../core/alerts/alerts.ts';
import { nullable, oneOf } from '../../http/responses/response-types.ts';
import type { NodePosition, NodeReport } from '../reconcile/report.ts';
import type { StoredReconciliation } from '../reconcile/requests.ts';

export const AlertObject = Type.Object(
  {
    id: Type.String({ description: 'The id of the alert' }),
    kind: Type.String({ description: 'The kind; docs/operations.md describes each' }),
    subject: Type.String({
      description: 'What it is about: the id of a payment, an invoice or a node',
    }),
    status: oneOf(['open', 'resolved'], { description: '`resolved`: its cause is gone, or an operator closed it' }),
    message: Type.String({
      description: 'What happened',
    }),
    meaning: Type.String({
      description: 'What alerts of this kind mean',
    }),
    remedy: Type.String({ description: 'What the operator should do' }),
    raised_at: Type.Integer({ description: 'Unix seconds' }),
    last_seen_at: Type.Integer({ description: 'When its cause was last found, in Unix seconds' }),
    resolved_at: nullable(Type.Integer({ description: 'Unix seconds; null while it is open' })),
    closed_by: nullable(
      Type.String({
        description: 'The operator who closed it; null if it is open or its cause went away',
      }),
    ),
    close_reason: nullable(Type.String({ description: 'Why, as the operator stated it' })),
  },
  { title: 'Alert' },
);

function amount(description: string) {
  return nullable(Type.Integer({ description: `${description}, in millisatoshis; null if the balance was not measured` }));
}

const ComparisonObject = Type.Object(
  {
    ln_node_id: Type.String({ description: 'The node that was compared' }),
    started_at: Type.Integer({ description: 'Unix seconds' }),
    ended_at: Type.Integer({ description: 'Unix seconds' }),
    incomplete_reason: nullable(Type.String({ description: 'Why the comparison is incomplete; null if it is complete' })),
    balance_status: oneOf(['measured', 'unanswered', 'unsteady'], {
      description: '`unanswered`: the node did not answer. `unsteady`: money moved during each measurement of a baseline',
    }),
    balance_reason: nullable(Type.String({ description: 'Why the balance was not measured; null if it was' })),
    assets_msat: amount('The balance of the node'),
    baseline_msat: amount('Its own money when the baseline was accepted'),
    baseline_at: nullable(Type.Integer({ description: 'When the baseline was accepted, in Unix seconds' })),
    customers_msat: amount('What is owed to all wallets'),
    service_fees_msat: amount('The fees that the service earned'),
    suspense_msat: amount('What arrived for no wallet'),
    operator_costs_msat: amount('What the operator bears'),
    other_nodes_msat: amount('What the other nodes hold'),
    expected_msat: amount(
      'What the node should have: the baseline, customers, service fees and suspense, less operator costs and other nodes',
    ),
    difference_msat: amount('`assets_msat` − `expected_msat`'),
    in_flight_msat: amount('What may have left the node and is not booked yet'),
    rose_msat: amount('Unexplained increases since the baseline'),
    fell_msat: amount('Unexplained decreases since the baseline'),
    moved_msat: amount('What the ledger booked during the measurement: the uncertainty of the difference'),
    held_msat: nullable(Type.Integer({ description: 'What it holds for the ledger, in millisatoshis' })),
    position_msat: nullable(
      Type.Integer({
        description:
          'What of it is for wallets of other nodes, in millisatoshis; negative if other nodes hold money of its wallets. The sum of all nodes is 0',
      }),
    ),
    pending_payments: Type.Integer({ description: 'Pending payments at that time' }),
    stuck_payments: Type.Integer({ description: 'Those that were stuck' }),
    pending_msat: Type.Integer({ description: 'The amounts of the pending payments, in millisatoshis' }),
    pending_states: Type.Array(
      Type.Object({
        node_state: Type.String({ description: 'The state at the node' }),
        count: Type.Integer({ description: 'The number of payments' }),
      }),
      { description: 'The pending payments by their state at the node' },
    ),
    compared_payments: Type.Integer({ description: 'Ended payments that were compared' }),
    compared_invoices: Type.Integer({ description: 'Invoices that were compared' }),
    contradictions: Type.Array(
      Type.Object({
        id: Type.String({ description: 'The payment or the invoice, `lntx_…`' }),
        wallet_id: Type.String({ description: 'Its wallet' }),
        num_msat: Type.Integer({ description: 'The amount, in millisatoshis' }),
        ledger_state: Type.String({ description: 'Its state in the ledger' }),
        node_state: Type.String({ description: 'Its state at the node' }),
      }),
      { description: 'Payments and invoices about which ledger and node disagree, at most 100' },
    ),
    missed_settlements: Type.Array(
      Type.Object({
        id: Type.String({ description: 'The invoice, `lntx_…`' }),
        wallet_id: Type.String({ description: 'Its wallet' }),
        num_msat: Type.Integer({ description: 'The amount, in millisatoshis' }),
        is_booked: Type.Boolean({ description: 'Whether the reconciliation booked it' }),
      }),
      { description: 'Invoices that were paid at the node and not booked, at most 100' },
    ),
  },
  { title: 'NodeComparison' },
);

export const ReconciliationObject = Type.Object(
  {
    id: Type.String({ description: 'The id, `rec_…`' }),
    scope: oneOf(['periodic', 'full', 'new_baseline'], {
      description: '`periodic`: by the service. `full`: on request. `new_baseline`: also accepts what the nodes have now',
    }),
    status: oneOf(['queued', 'running', 'done', 'failed'], { description: 'Its progress' }),
    progress: Type.String({ description: 'The present step, or why it failed' }),
    requested_by: nullable(Type.String({ description: 'Who requested it; null: the service' })),
    reason: nullable(Type.String({ description: 'Why; null: none was given' })),
    created_at: Type.Integer({ description: 'Unix seconds' }),
    is_clean: nullable(Type.Boolean({ description: 'Whether every node answered and nothing contradicts; null until it is done' })),
    nodes: Type.Array(ComparisonObject, { description: 'The comparison with each node; empty until it is done' }),
  },
  { title: 'Reconciliation' },
);

export function renderAlert({ cleared_at, ...alert }: Alert): Static<typeof AlertObject> {
  const status = cleared_at === null ? 'open' : 'resolved';
  return { ...alert, ...describeKind(alert.kind), status, resolved_at: cleared_at };
}

export function renderReconciliation(one: StoredReconciliation): Static<typeof ReconciliationObject> {
  const nodes = one.report?.nodes ?? [];
  return {
    id: one.id,
    scope: one.scope,
    status: one.state === 'requested' ? 'queued' : one.state,
    progress: one.progress,
    requested_by: one.requestedBy || null,
    reason: one.reason || null,
    created_at: one.requestedAt,
    is_clean: one.report ? nodes.every(isClean) : null,
    nodes: nodes.map((node) =>
      renderComparison(
        node,
        one.report?.positions.find(({ nodeId }) => nodeId === node.nodeId),
      ),
    ),
  };
}

function isClean({ incompleteReason, contradictions, missedSettlements, balance }: NodeReport): boolean {
  const agrees = contradictions.length === 0 && missedSettlements.length === 0;
  return (
    incompleteReason === null && agrees && balance.state === 'measured' && balance.restMsat >= -balance.inFlightMsat - balance.movedMsat
  );
}

function renderComparison(report: NodeReport, position: NodePosition | undefined): Static<typeof ComparisonObject> {
  const { balance, pending, compared } = report;
  const measured = balance.state === 'measured' ? balance : undefined;
  return {
    ln_node_id: report.nodeId,
    started_at: report.startedAt,
    ended_at: report.endedAt,
    incomplete_reason: report.incompleteReason,
    balance_status: balance.state,
    balance_reason: balance.state === 'measured' ? null : balance.reason,
    assets_msat: measured?.nodeMsat ?? null,
    baseline_msat: measured?.baselineMsat ?? null,
    baseline_at: measured?.baselineAt ?? null,
    customers_msat: measured?.customersMsat ?? null,
    service_fees_msat: measured?.serviceFeesMsat ?? null,
    suspense_msat: measured?.suspenseMsat ?? null,
    operator_costs_msat: measured ? 0 - measured.operatorMsat : null,
    other_nodes_msat: measured ? 0 - measured.atOtherNodesMsat : null,
    expected_msat: measured?.expectedMsat ?? null,
    difference_msat: measured?.restMsat ?? null,
    in_flight_msat: measured?.inFlightMsat ?? null,
    rose_msat: measured?.roseMsat ?? null,
    fell_msat: measured?.fellMsat ?? null,
    moved_msat: measured?.movedMsat ?? null,
    held_msat: position?.heldMsat ?? null,
    position_msat: position?.positionMsat ?? null,
    pending_payments: pending.payments,
    stuck_payments: pending.stuckPayments,
    pending_msat: pending.amountMsat,
    pending_states: Object.entries(pending.byEvidence).map(([node_state, count]) => ({ node_state, count })),
    compared_payments: compared.payments,
    compared_invoices: compared.invoices,
    contradictions: report.contradictions.map(({ id, walletId, amountMsat, ours, node }) => ({
      id,
      wallet_id: walletId,
      num_msat: amountMsat,
      ledger_state: ours,
      node_state: node,
    })),
    missed_settlements: report.missedSettlements.map(({ invoiceId, walletId, amountMsat, booked }) => ({
      id: invoiceId,
      wallet_id: walletId,
      num_msat: amountMsat,
      is_booked: booked,
    })),
  };
}
