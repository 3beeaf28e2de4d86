import type { Alert, NodeComparison, OperatorPayment, Reconciliation } from '../../client/satchel.js';
import { grouped, moment, span, table } from './table.ts';

/** Formats a report, the open alerts and the stuck payments for a terminal. Amounts are msat. */
export function reportText({ nodes }: Reconciliation, alerts: readonly Alert[], stuck: readonly OperatorPayment[]): string {
  const distribution = nodes.length > 1 ? [positionsText(nodes)] : [];
  return [...nodes.flatMap(nodeText), ...distribution, stuckText(nodes, stuck), alertsText(alerts)].join('\n\n');
}

function nodeText(node: NodeComparison): string[] {
  const compared = `compared ${node.compared_payments} ended payments and ${node.compared_invoices} invoices`;
  return [
    `Ledger and node ${node.ln_node_id} at ${moment(node.started_at)}: ${compared}.`,
    ...(node.incomplete_reason === null ? [] : [`THE NODE DID NOT ANSWER (${node.incomplete_reason}). The report is incomplete.`]),
    balanceText(node),
    pendingText(node),
    contradictionsText(node),
    missedText(node),
  ];
}

function balanceText(node: NodeComparison): string {
  if (node.balance_status === 'unanswered') return `Balance: the node did not answer (${node.balance_reason}).`;
  if (node.balance_status === 'unsteady') return `Balance: not measured (${node.balance_reason}). No baseline was accepted; try again.`;
  const { difference_msat: difference, moved_msat: moved, rose_msat: rose, fell_msat: fell, in_flight_msat: inFlight } = node;
  const rest = (difference ?? 0) < 0 ? 'missing' : 'unexplained surplus: routing income, own deposits, arriving money';
  const since = moment(node.baseline_at ?? 0);
  const rows: [amount: number | null, meaning: string][] = [
    [node.baseline_msat, `the node's own, as of ${since}`],
    [node.customers_msat, "customers' money"],
    [node.service_fees_msat, 'service fees'],
    [node.suspense_msat, 'suspense: arrived for no wallet'],
    [0 - (node.operator_costs_msat ?? 0), 'borne by the operator: routing beyond reserves, late successes'],
    ...(node.other_nodes_msat ? [[-node.other_nodes_msat, 'held by the other nodes'] as [number, string]] : []),
    [node.expected_msat, 'expected'],
    [node.assets_msat, "the node's balance"],
    [difference, difference === 0 ? 'difference' : rest],
  ];
  const isLess = (difference ?? 0) + (node.baseline_msat ?? 0) < -((inFlight ?? 0) + (moved ?? 0));
  return [
    'Balance of the node, in msat:',
    table(
      rows.map(([amount, meaning]) => [grouped(amount ?? 0), meaning]),
      [0],
    ),
    `In flight: up to ${grouped(inFlight ?? 0)} msat of the customers' money may have left the node, or may still leave it.`,
    ...(moved ? [`The ledger booked ${grouped(moved)} msat during the measurement.`] : []),
    ...(rose ? [`Since ${since} the node's own money rose by ${grouped(rose)} msat. It is not accepted yet (--new-baseline).`] : []),
    ...(fell ? [`Since ${since} ${grouped(fell)} MSAT LEFT THE NODE WITHOUT AN ENTRY IN THE LEDGER.`] : []),
    ...(isLess ? ['THE NODE HAS LESS THAN THE LEDGER OWES, beyond the amount in flight.'] : []),
  ].join('\n');
}

function positionsText(nodes: readonly NodeComparison[]): string {
  const rows = nodes.map((one) => [one.ln_node_id, grouped(one.held_msat ?? 0), grouped(one.position_msat ?? 0)]);
  return `Distribution over the nodes, in msat:\n${table([['node', 'holds', 'of it for wallets of other nodes'], ...rows], [1, 2])}`;
}

function pendingText({ pending_payments: payments, pending_msat: amount, pending_states }: NodeComparison): string {
  if (payments === 0) return 'Pending payments: none.';
  const states = pending_states.map(({ node_state, count }) => `${node_state} (${count})`);
  return `Pending payments: ${payments}, ${grouped(amount)} msat. State at the node: ${states.join(', ')}.`;
}

function stuckText(nodes: readonly NodeComparison[], stuck: readonly OperatorPayment[]): string {
  const count = nodes.reduce((sum, one) => sum + one.stuck_payments, 0);
  if (count === 0) return 'Stuck payments: none.';
  const rows = stuck.map((one) => [one.id, one.wallet_id, grouped(one.num_msat), span(one.age_seconds), evidenceText(one)]);
  const head = ['payment', 'wallet', 'msat', 'age', 'state at the node'];
  return `Stuck payments: ${count}. Their money stays reserved until the node reports an outcome.\n${table([head, ...rows], [2])}`;
}

function evidenceText({ evidence }: OperatorPayment): string {
  if (evidence === null) return 'not looked up yet';
  return evidence.proves_failure ? `${evidence.node_state}, but no money can leave it any more` : evidence.node_state;
}

function contradictionsText({ contradictions }: NodeComparison): string {
  if (contradictions.length === 0) return 'Contradictions: none.';
  const rows = contradictions.map((one) => [one.id, one.wallet_id, grouped(one.num_msat), one.ledger_state, one.node_state]);
  const head = ['payment or invoice', 'wallet', 'msat', 'in the ledger', 'at the node'];
  return `Contradictions: ${contradictions.length}\n${table([head, ...rows], [2])}`;
}

function missedText({ missed_settlements: missed }: NodeComparison): string {
  if (missed.length === 0) return 'Missed settlements: none.';
  const rows = missed.map((one) => [one.id, one.wallet_id, grouped(one.num_msat), one.is_booked ? 'booked now' : 'NOT BOOKED']);
  return `Missed settlements: ${missed.length}\n${table([['invoice', 'wallet', 'msat', ''], ...rows], [2])}`;
}

function alertsText(alerts: readonly Alert[]): string {
  if (alerts.length === 0) return 'Open alerts: none.';
  const texts = alerts.map(
    ({ kind, subject, raised_at, message, remedy }) => `  ${kind} ${subject}, since ${moment(raised_at)}\n    ${message}\n    → ${remedy}`,
  );
  return `Open alerts: ${alerts.length}\n${texts.join('\n')}`;
}
