import { type Static, Type } from 'typebox';
import { choice } from '../../http/fields.ts';
import { nullable, oneOf } from '../../http/responses/response-types.ts';
import { HISTORY_PERIODS, type NodeOverview, type Overview, type PendingTotals } from './overview.ts';

function amount(description: string) {
  return Type.Integer({ description: `${description}, in millisatoshis` });
}

function time(description: string) {
  return nullable(Type.Integer({ description: `${description}, in Unix seconds` }));
}

const PendingFields = {
  pending_payments: Type.Integer({ description: 'The number of pending payments' }),
  in_flight_msat: amount('What pending payments hold: their amounts and fee reserves'),
  oldest_pending_at: time('When the oldest pending payment was created; null if none is pending'),
};

const NodeFigures = Type.Object(
  {
    id: Type.String({ description: 'The id of the node, `lnd_…`' }),
    alias: nullable(Type.String({ description: 'The name that it last reported; null before it was reached' })),
    network: nullable(Type.String({ description: '`bitcoin`, `testnet`, `signet` or `regtest`' })),
    software: nullable(Type.String({ description: 'Its program and version' })),
    pubkey: nullable(Type.String({ description: 'Its public key in hex; null before it was reached' })),
    created_at: Type.Integer({ description: 'When it was added to the ledger, in Unix seconds' }),
    status: oneOf(['ready', 'cannot_send', 'unavailable'], {
      description: '`cannot_send`: it answers and cannot send payments now. `unavailable`: it does not answer',
    }),
    status_reason: nullable(Type.String({ description: 'Why it cannot send or did not answer; null if it is ready' })),
    draining: Type.Boolean({ description: 'Whether it gets no new wallets' }),
    num_wallets: Type.Integer({ description: 'The number of its wallets' }),
    channels: nullable(
      Type.Object({
        active: Type.Integer({ description: 'Channels that can be used' }),
        inactive: Type.Integer({ description: 'Channels whose peer is offline' }),
      }),
      { description: 'The channels that it last reported; null if it does not count them' },
    ),
    assets_msat: nullable(amount('The last measured balance of its channels')),
    assets_at: time('When that was measured; null before the first measurement'),
    held_msat: amount('What it holds for the ledger: for wallets, suspense and fees'),
    own_msat: nullable(amount('What it has beyond that: `assets_msat` − `held_msat`')),
    position_msat: nullable(
      amount('What it holds for wallets of other nodes, at the last reconciliation; negative if they hold money of its wallets'),
    ),
    baseline_msat: nullable(amount('Its own money at the baseline')),
    difference_msat: nullable(
      amount('The difference that the last reconciliation found; null if the node did not answer. Negative: money is leaving or missing'),
    ),
    reconciled_at: time('When the last reconciliation with it ended'),
    incomplete_reason: nullable(Type.String({ description: 'Why the last reconciliation is incomplete; null if it is complete' })),
    ...PendingFields,
    last_booked_at: time('When money that came in or went out through it was last booked'),
    open_alerts: Type.Integer({ description: 'The number of open alerts about it' }),
  },
  { title: 'NodeFigures' },
);

export const OverviewObject = Type.Object(
  {
    at: Type.Integer({ description: 'When the ledger was read, in Unix seconds' }),
    assets_msat: nullable(amount('The sum of the last measured balances of the nodes; null before each node was measured')),
    assets_at: time('The oldest of these measurements'),
    liabilities_msat: amount('What is owed to all wallets, including what pending payments hold'),
    suspense_msat: amount('What arrived for no wallet and was neither credited nor returned'),
    num_suspense: Type.Integer({ description: 'The number of such payments' }),
    service_fees_msat: amount('The fees that the service earned'),
    operator_costs_msat: amount('What the operator bears: routing beyond reserves, and late successes'),
    own_msat: nullable(amount('What is left for the operator: `assets_msat` − `liabilities_msat` − `suspense_msat`')),
    difference_msat: nullable(amount('The sum of the differences of all nodes; null if one is unknown')),
    num_wallets: Type.Integer({ description: 'The number of wallets' }),
    ...PendingFields,
    open_alerts: Type.Integer({ description: 'The number of open alerts' }),
    alerts_by_kind: Type.Array(
      Type.Object({
        kind: Type.String({ description: 'The kind of the alert' }),
        count: Type.Integer({ description: 'The number of open alerts of this kind' }),
      }),
      { description: 'The open alerts by kind' },
    ),
    nodes: Type.Array(NodeFigures, { description: 'The nodes, in the order in which they were added' }),
  },
  { title: 'OperatorOverview' },
);

export const HistoryQuery = Type.Object({
  period: Type.Optional(
    choice(HISTORY_PERIODS, {
      description: 'How far back. `day` and `week` have a sample per hour, `month` one per 6 hours, `year` one per day. Default: `month`',
    }),
  ),
});

export const BalanceSampleObject = Type.Object(
  {
    at: Type.Integer({ description: 'When the figures were taken, in Unix seconds' }),
    assets_msat: nullable(amount('The balances of the nodes; null before a node was measured')),
    liabilities_msat: amount('What was owed to all wallets'),
    suspense_msat: amount('What was in suspense'),
    is_complete: Type.Boolean({
      description: 'Whether each node was measured then. Otherwise the last balance before counts',
    }),
  },
  { title: 'BalanceSample' },
);

export function renderOverview(overview: Overview): Static<typeof OverviewObject> {
  const { totals, assetsMsat, nodes, openAlerts } = overview;
  const differences = nodes.flatMap(({ comparison }) => comparison?.difference_msat ?? []);
  return {
    at: overview.at,
    assets_msat: assetsMsat ?? null,
    assets_at: overview.assetsAt ?? null,
    liabilities_msat: totals.customersMsat,
    suspense_msat: totals.suspenseMsat,
    num_suspense: overview.unmatchedSettlements,
    service_fees_msat: totals.serviceFeesMsat,
    operator_costs_msat: 0 - totals.operatorMsat,
    own_msat: assetsMsat === undefined ? null : assetsMsat - totals.customersMsat - totals.suspenseMsat,
    difference_msat: differences.length === nodes.length ? differences.reduce((sum, one) => sum + one, 0) : null,
    num_wallets: overview.wallets,
    ...renderPending(overview.pending),
    open_alerts: openAlerts.reduce((sum, { n }) => sum + n, 0),
    alerts_by_kind: openAlerts.map(({ kind, n }) => ({ kind, count: n })),
    nodes: nodes.map(renderNode),
  };
}

function renderNode(one: NodeOverview): Static<typeof NodeFigures> {
  const { info, measured, heldMsat, comparison } = one;
  return {
    id: one.id,
    alias: info?.alias ?? null,
    network: info?.network ?? null,
    software: info?.software ?? null,
    pubkey: one.pubkey ?? null,
    created_at: one.createdAt,
    status: one.state.status,
    status_reason: one.state.reason ?? null,
    draining: one.isDraining,
    num_wallets: one.wallets,
    channels: info?.channels ?? null,
    assets_msat: measured?.assets_msat ?? null,
    assets_at: measured?.assets_at ?? null,
    held_msat: heldMsat,
    own_msat: measured ? measured.assets_msat - heldMsat : null,
    position_msat: comparison?.position_msat ?? null,
    baseline_msat: comparison?.baseline_msat ?? null,
    difference_msat: comparison?.difference_msat ?? null,
    reconciled_at: comparison?.ended_at ?? null,
    incomplete_reason: comparison?.incomplete_reason ?? null,
    ...renderPending(one.pending),
    last_booked_at: one.lastBookedAt ?? null,
    open_alerts: one.openAlerts,
  };
}

function renderPending({ payments, heldMsat, oldestAt }: PendingTotals) {
  return { pending_payments: payments, in_flight_msat: heldMsat, oldest_pending_at: oldestAt ?? null };
}
