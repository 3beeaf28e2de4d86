import { type Alert, remedyFor } from '../core/alerts/alerts.ts';
import {
  type BalanceReport,
  holdsLess,
  type NodePosition,
  type NodeReport,
  type PendingReport,
  type ReconciliationReport,
} from '../features/reconcile/report.ts';
import { grouped, moment, span, table } from './table.ts';

/** Formats a report and the open alerts for a terminal. Amounts are msat. */
export function reportText({ nodes, positions }: ReconciliationReport, alerts: readonly Alert[], now: number): string {
  const distribution = positions.length > 1 ? [positionsText(positions)] : [];
  return [...nodes.flatMap((one) => nodeText(one, now)), ...distribution, alertsText(alerts)].join('\n\n');
}

function nodeText(report: NodeReport, now: number): string[] {
  const { nodeId, compared, startedAt, endedAt, incompleteReason } = report;
  return [
    `Ledger and node ${nodeId} at ${moment(startedAt)} (${span(Math.max(0, now - endedAt))} ago): compared ${compared.payments} ended payments and ${compared.invoices} invoices.`,
    ...(incompleteReason === null ? [] : [`THE NODE DID NOT ANSWER (${incompleteReason}). The report is incomplete.`]),
    balanceText(report.balance),
    pendingText(report.pending),
    stuckText(report.pending),
    contradictionsText(report),
    missedText(report),
  ];
}

function balanceText(balance: BalanceReport): string {
  if (balance.state !== 'measured') {
    const { state, reason } = balance;
    if (state === 'unanswered') return `Balance: the node did not answer (${reason}).`;
    return `Balance: not measured (${reason}). No baseline was accepted; try again.`;
  }
  const rest = balance.restMsat < 0 ? 'missing' : 'unexplained surplus: routing income, own deposits, arriving money';
  const rows = [
    [grouped(balance.baselineMsat), `the node's own, as of ${moment(balance.baselineAt)}`],
    [grouped(balance.customersMsat), "customers' money"],
    [grouped(balance.serviceFeesMsat), 'service fees'],
    [grouped(balance.suspenseMsat), 'suspense: arrived for no wallet'],
    [grouped(balance.operatorMsat), 'borne by the operator: routing beyond reserves, late successes'],
    ...(balance.atOtherNodesMsat === 0 ? [] : [[grouped(balance.atOtherNodesMsat), 'held by the other nodes']]),
    [grouped(balance.expectedMsat), 'expected'],
    [grouped(balance.nodeMsat), "the node's balance"],
    [grouped(balance.restMsat), balance.restMsat === 0 ? 'difference' : rest],
  ];
  const inFlight = `In flight: up to ${grouped(balance.inFlightMsat)} msat of the customers' money may have left the node, or may still leave it.`;
  const moved = balance.movedMsat > 0 ? [`The ledger booked ${grouped(balance.movedMsat)} msat during the measurement.`] : [];
  const { roseMsat, fellMsat } = balance;
  const since = `Since ${moment(balance.baselineAt)}`;
  const rose =
    roseMsat > 0 ? [`${since} the node's own money rose by ${grouped(roseMsat)} msat. It is not accepted yet (--new-baseline).`] : [];
  const fell = fellMsat > 0 ? [`${since} ${grouped(fellMsat)} MSAT LEFT THE NODE WITHOUT AN ENTRY IN THE LEDGER.`] : [];
  const less = holdsLess(balance) ? ['THE NODE HAS LESS THAN THE LEDGER OWES, beyond the amount in flight.'] : [];
  return [`Balance of the node, in msat:`, table(rows, [0]), inFlight, ...moved, ...rose, ...fell, ...less].join('\n');
}

function positionsText(positions: readonly NodePosition[]): string {
  const rows = positions.map(({ nodeId, heldMsat, positionMsat }) => [nodeId, grouped(heldMsat), grouped(positionMsat)]);
  return `Distribution over the nodes, in msat:\n${table([['node', 'holds', 'of it for wallets of other nodes'], ...rows], [1, 2])}`;
}

function pendingText({ payments, amountMsat, byEvidence }: PendingReport): string {
  if (payments === 0) return 'Pending payments: none.';
  const states = Object.entries(byEvidence).map(([evidence, count]) => `${evidence} (${count})`);
  return `Pending payments: ${payments}, ${grouped(amountMsat)} msat. State at the node: ${states.join(', ')}.`;
}

function stuckText({ stuck, stuckPayments }: PendingReport): string {
  if (stuckPayments === 0) return 'Stuck payments: none.';
  const rows = stuck.map((one) => [one.paymentId, one.walletId, grouped(one.amountMsat), span(one.ageSeconds), one.evidence]);
  return `Stuck payments: ${stuckPayments}. Their money stays reserved until the node reports an outcome.\n${table([['payment', 'wallet', 'msat', 'age', 'state at the node'], ...rows], [2])}`;
}

function contradictionsText({ contradictions }: NodeReport): string {
  if (contradictions.length === 0) return 'Contradictions: none.';
  const rows = contradictions.map((one) => [one.id, one.walletId, grouped(one.amountMsat), one.ours, one.node]);
  const head = ['payment or invoice', 'wallet', 'msat', 'in the ledger', 'at the node'];
  return `Contradictions: ${contradictions.length}\n${table([head, ...rows], [2])}`;
}

function missedText({ missedSettlements }: NodeReport): string {
  if (missedSettlements.length === 0) return 'Missed settlements: none.';
  const rows = missedSettlements.map((one) => [
    one.invoiceId,
    one.walletId,
    grouped(one.amountMsat),
    one.booked ? 'booked now' : 'NOT BOOKED',
  ]);
  return `Missed settlements: ${missedSettlements.length}\n${table([['invoice', 'wallet', 'msat', ''], ...rows], [2])}`;
}

function alertsText(alerts: readonly Alert[]): string {
  if (alerts.length === 0) return 'Open alerts: none.';
  const one = ({ kind, subject, message, raisedAt }: Alert) =>
    `  ${kind} ${subject}, since ${moment(raisedAt)}\n    ${message}\n    → ${remedyFor(kind)}`;
  return `Open alerts: ${alerts.length}\n${alerts.map(one).join('\n')}`;
}
