import { type Static, Type } from 'typebox';
import { namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';
import type { RequestRow } from './requests.sql.ts';

function amount(description: string) {
  return nullable(Type.Integer({ description: `${description}, in millisatoshis; null if the balance was not measured` }));
}

const BalanceObject = Type.Object({
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
    'What the node should have: the baseline, customers, service fees and suspense, less operator costs, other nodes and `swept_msat`',
  ),
  difference_msat: amount('`assets_msat` − `expected_msat`'),
  in_flight_msat: amount('What may have left the node and is not booked yet, and what is credited and not final yet'),
  closing_msat: amount('What of `assets_msat` is in channels that are being closed'),
  closing_channels: Type.Array(
    Type.Object({
      id: Type.String({ description: 'The channel' }),
      peer_pubkey: Type.String({ description: 'The node at the other end' }),
      num_msat: Type.Integer({ description: 'What is not in the on-chain wallet of the node yet, in millisatoshis' }),
    }),
    { description: 'The channels that are being closed, at most 100' },
  ),
  swept_msat: amount(
    'What closed channels have paid to the on-chain wallet of the node, or in fees, since the baseline, and has not come back',
  ),
  rose_msat: amount('Unexplained increases since the baseline'),
  fell_msat: amount('Unexplained decreases since the baseline'),
  moved_msat: amount('What the ledger booked during the measurement: the uncertainty of the difference'),
});

const PositionObject = Type.Object({
  held_msat: nullable(Type.Integer({ description: 'What it holds for the ledger, in millisatoshis' })),
  position_msat: nullable(
    Type.Integer({
      description:
        'What of it is for wallets of other nodes, in millisatoshis; negative if other nodes hold money of its wallets. The sum of all nodes is 0',
    }),
  ),
});

const PendingObject = Type.Object({
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
});

const FindingsObject = Type.Object({
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
});

const ComparisonObject = namedObject('NodeComparison', {
  ln_node_id: Type.String({ description: 'The node that was compared' }),
  started_at: Type.Integer({ description: 'Unix seconds' }),
  ended_at: Type.Integer({ description: 'Unix seconds' }),
  incomplete_reason: nullable(Type.String({ description: 'Why the comparison is incomplete; null if it is complete' })),
  ...BalanceObject.properties,
  ...PositionObject.properties,
  ...PendingObject.properties,
  ...FindingsObject.properties,
});

/** What the node reported about a pending payment. The report of a reconciliation contains it for stuck ones. */
export const PaymentEvidenceObject = Type.Object({
  checked_at: Type.Integer({ description: 'When the node was asked, in Unix seconds' }),
  node_state: Type.String({
    description:
      'The state of the payment at the node: `pending`, `succeeded`, `failed (…)`, `no record` or `no response`; of an internal payment, that of its invoice',
  }),
  facts: Type.Array(
    Type.Object({
      fact: Type.String({ description: 'A sentence' }),
      holds: Type.Boolean({ description: 'Whether it is true' }),
      detail: Type.String({ description: 'What the node reported' }),
    }),
    {
      description: 'What the records of the node show. Empty unless the node reports the payment as pending, and its adapter can read them',
    },
  ),
  proves_failure: Type.Boolean({ description: 'Whether the facts prove that no money can leave the node for this payment any more' }),
});

export const ReconciliationObject = namedObject('Reconciliation', {
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
});

export type Reconciliation = Static<typeof ReconciliationObject>;
/** The result for one node. It is stored as the API returns it. */
export type NodeComparison = Static<typeof ComparisonObject>;
export type ComparedBalance = Static<typeof BalanceObject>;
export type NodePosition = Static<typeof PositionObject>;
export type PendingPayments = Static<typeof PendingObject>;
export type NodeEvidence = Static<typeof PaymentEvidenceObject>;
export type Findings = Static<typeof FindingsObject>;

/** The maximum length of the lists. */
export const MAX_LISTED = 100;

export function renderReconciliation(row: RequestRow): Reconciliation {
  const nodes: NodeComparison[] | undefined = row.report === null ? undefined : JSON.parse(row.report).nodes;
  return {
    id: row.id,
    scope: row.scope,
    status: row.state === 'requested' ? 'queued' : row.state,
    progress: row.progress,
    requested_by: row.requested_by || null,
    reason: row.reason || null,
    created_at: row.requested_at,
    is_clean: nodes ? nodes.every(isClean) : null,
    nodes: nodes ?? [],
  };
}

function isClean(node: NodeComparison): boolean {
  const agrees = node.contradictions.length === 0 && node.missed_settlements.length === 0;
  const { difference_msat, in_flight_msat, moved_msat } = node;
  const isExplained = difference_msat !== null && difference_msat >= -(in_flight_msat ?? 0) - (moved_msat ?? 0);
  return node.incomplete_reason === null && agrees && isExplained;
}
